-- Put a status into some folders of a member, a new one among them, and take it out of others: all
-- of it, or nothing if one is refused. A status that is put into a folder is bookmarked.
--
-- KEYS     member        accounts.user(uid)
--          bookmarks   statuses.interactions.bookmarks(uid)
--          folders     statuses.folders.folders(uid)
--          prefix      statuses.folders.folder_statuses.prefix(uid)
-- ARGV     id
--          name            of a new folder, or ''
--          folders_max     config.folders_max   most folders of one member
--          folder_max      config.folder_statuses_max   most statuses of one folder
--          bookmarks_max   config.bookmarks_max   most bookmarks of one member
--          choices...      for each folder its number, and 1 to add the status or 0 to remove it
-- RETURNS  the number of the new folder, or 0
-- ERRORS   NOMEMBER, SUSPENDED, NOFOLDER, FOLDERNAMED, FOLDERSFULL, FOLDERFULL, BOOKMARKSFULL
-- EMITS    bookmarked

local is_new, is_kept, base = name ~= '', name ~= '', prefix .. uid .. ':'
require_active()
refuse_when_behind()
if is_new then require_free_name(folders, name) end
for i = 1, #choices, 2 do
  if choices[i + 1] == '1' then
    local statuses = base .. choices[i]
    require_place(folders, choices[i], statuses, id, folder_max)
    is_kept = true
  end
end
if is_new and redis.call('HLEN', folders) >= tonumber(folders_max) then
  refuse('FOLDERSFULL', folders_max)
end
local is_added = is_kept and not redis.call('ZSCORE', bookmarks, id)
if is_added and redis.call('ZCARD', bookmarks) >= tonumber(bookmarks_max) then
  refuse('BOOKMARKSFULL', bookmarks_max)
end

if is_added then
  redis.call('ZADD', bookmarks, next_score(bookmarks), id)
  emit('bookmarked', 'uid', uid, 'id', id)
end
local number = is_new and redis.call('HINCRBY', member, 'folders', 1) or 0
if is_new then
  redis.call('HSET', folders, number, name)
  redis.call('ZADD', base .. number, next_score(base .. number), id)
end
for i = 1, #choices, 2 do
  if choices[i + 1] == '1' then
    redis.call('ZADD', base .. choices[i], 'NX', next_score(base .. choices[i]), id)
  else
    redis.call('ZREM', base .. choices[i], id)
  end
end
return number
