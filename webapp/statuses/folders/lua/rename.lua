-- Rename a folder.
--
-- KEYS     folders   statuses.folders.folders(uid)
-- ARGV     number
--          name
-- ERRORS   NOFOLDER, FOLDERNAMED

if redis.call('HEXISTS', folders, number) == 0 then refuse('NOFOLDER', number) end
require_free_name(folders, name, number)

redis.call('HSET', folders, number, name)
return 1
