-- Rename a folder.
--
-- KEYS     folders   statuses.folders.folders(uid)
-- ARGV     uid
--          number
--          name
-- ERRORS   NOFOLDER, FOLDERNAMED

if redis.call('HEXISTS', folders, number) == 0 then
  return redis.error_reply('NOFOLDER ' .. number)
end
local refusal = name_refusal(folders, name, number)
if refusal then return refusal end

redis.call('HSET', folders, number, name)
return 1
