-- Staged pictures: files that no status and no draft shows, yet or any longer. `media` is the field
-- of a status or a draft, JSON, or '', false or nil without pictures.

local function media_names(media)
  local names = {}
  if media and media ~= '' then
    for index, picture in ipairs(cjson.decode(media)) do names[index] = picture[1] end
  end
  return names
end

-- Refuse unless all pictures are staged in `uploads`, or are among those of `stored`.
local function require_staged(uploads, media, stored)
  local is_stored = {}
  for _, name in ipairs(media_names(stored)) do is_stored[name] = true end
  for _, name in ipairs(media_names(media)) do
    local sent_at = not is_stored[name] and redis.call('ZSCORE', uploads, name)
    if not is_stored[name] and (not sent_at or tonumber(sent_at) == 0) then
      refuse('NOUPLOAD', name)
    end
  end
end

-- Take pictures off the list: a status or a draft shows them now.
local function claim_pictures(uploads, media)
  for _, name in ipairs(media_names(media)) do redis.call('ZREM', uploads, name) end
end

-- Put pictures that are shown no longer on the list, to be removed soon.
local function release_pictures(uploads, media)
  for _, name in ipairs(media_names(media)) do redis.call('ZADD', uploads, 0, name) end
end
