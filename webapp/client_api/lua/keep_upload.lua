-- Remember a picture that an app has sent, and let its files wait as long for a status.
--
-- KEYS     upload    client_api.media_upload(uid, id)
--          uploads   statuses.attachments.uploads(partition)
-- ARGV     name           of the picture
--          picture        JSON
--          seconds        for which it is remembered
--          wait_seconds   for which files wait otherwise
-- RETURNS  1, or 0 if a status shows it already

if not redis.call('ZSCORE', uploads, name) then return 0 end
redis.call('SET', upload, picture, 'EX', seconds)
redis.call('ZADD', uploads, id_text(now_ms() + (seconds - wait_seconds) * 1000), name)
return 1
