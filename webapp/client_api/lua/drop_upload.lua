-- Forget a picture that an app has sent, so that no status can show it any more.
--
-- KEYS     upload    client_api.media_upload(uid, id)
--          uploads   statuses.attachments.uploads(partition)
-- ARGV     name        of the picture
-- RETURNS  1, or 0 if a status shows it already

if redis.call('ZREM', uploads, name) == 0 then return 0 end
redis.call('DEL', upload)
return 1
