-- Purpose: keep the names in a status's `media` (JSON, or '' or false) on the list of pictures that no status shows.
local function pictures_of(media) return media and media ~= '' and cjson.decode(media) or {} end
-- A refusal unless all wait there for their status.
local function not_uploaded(uploads, media)
  for _, picture in ipairs(pictures_of(media)) do
    local sent = redis.call('ZSCORE', uploads, picture[1])
    if not sent or tonumber(sent) == 0 then return redis.error_reply('NOUPLOAD ' .. picture[1]) end
  end
end
local function take_up(uploads, media)
  for _, picture in ipairs(pictures_of(media)) do redis.call('ZREM', uploads, picture[1]) end
end
local function give_up(uploads, media)
  for _, picture in ipairs(pictures_of(media)) do redis.call('ZADD', uploads, 0, picture[1]) end
end
