-- Staged pictures: files that no status shows, yet or any longer. `media` is the field of a status,
-- JSON, or '', false or nil if it has no pictures.

local function picture_names(media)
  local names = {}
  if media and media ~= '' then
    for index, picture in ipairs(cjson.decode(media)) do names[index] = picture[1] end
  end
  return names
end

-- Return an error unless all pictures are staged in `uploads`.
local function require_staged(uploads, media)
  for _, name in ipairs(picture_names(media)) do
    local sent_at = redis.call('ZSCORE', uploads, name)
    if not sent_at or tonumber(sent_at) == 0 then
      return redis.error_reply('NOUPLOAD ' .. name)
    end
  end
end

-- Take pictures off the list: a status shows them now.
local function claim_pictures(uploads, media)
  for _, name in ipairs(picture_names(media)) do redis.call('ZREM', uploads, name) end
end

-- Put pictures of a deleted status on the list, to be removed soon.
local function release_pictures(uploads, media)
  for _, name in ipairs(picture_names(media)) do redis.call('ZADD', uploads, 0, name) end
end
