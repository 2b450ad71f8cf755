-- Delete a folder. Its statuses stay bookmarked.
--
-- KEYS     folders    statuses.folders.folders(uid)
--          statuses   statuses.folders.folder_statuses(uid, number)
-- ERRORS   NOFOLDER

if redis.call('HDEL', folders, number) == 0 then refuse('NOFOLDER', number) end
redis.call('UNLINK', statuses)
return 1
