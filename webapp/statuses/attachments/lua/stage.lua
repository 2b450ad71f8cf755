-- List pictures whose files are about to be written, so that they are removed if no status and no
-- message shows them in time.
--
-- KEYS     uploads   statuses.attachments.uploads(partition)
-- ARGV     names...

local now = id_text(now_ms())
for _, name in ipairs(names) do redis.call('ZADD', uploads, now, name) end
return 1
