-- Return an error if a folder is gone, or has no room for the status `id`.
-- `statuses`: the folder's set. `limit`: most statuses of one folder.
local function folder_refusal(folders, number, statuses, id, limit)
  if redis.call('HEXISTS', folders, number) == 0 then
    return redis.error_reply('NOFOLDER ' .. number)
  end
  local is_in = redis.call('ZSCORE', statuses, id)
  if not is_in and redis.call('ZCARD', statuses) >= tonumber(limit) then
    return redis.error_reply('FOLDERFULL ' .. limit)
  end
end
