-- Claim a task that is due. A claim lasts until its lease runs out. Those of deleted accounts go.
--
-- KEYS     due            archive.due_tasks(partition)
--          user_prefix    accounts.user.prefix(partition)
--          tasks_prefix   archive.data_tasks.prefix(partition)
-- ARGV     lease        ms
--          skipped...   uids of members to pass over
-- RETURNS  {uid, kind, when the lease runs out, task, tries}, nothing if none is due
-- WRITES   due, tasks_prefix

local now = now_ms()
local is_skipped = {}
for _, uid in ipairs(skipped) do is_skipped[uid] = true end
local entries = redis.call('ZRANGE', due, '-inf', id_text(now), 'BYSCORE', 'LIMIT', 0, 100)
for _, entry in ipairs(entries) do
  local uid, kind = string.match(entry, '^(%d+):(%a+)$')
  local tasks = tasks_prefix .. uid
  local task = redis.call('HGET', tasks, kind)
  if not task or redis.call('HEXISTS', user_prefix .. uid, 'login') == 0 then
    redis.call('ZREM', due, entry)
    redis.call('DEL', tasks)
  elseif not is_skipped[uid] then
    local last = tonumber(redis.call('HGET', tasks, kind .. ':lease') or 0)
    local lease_expires = id_text(math.max(now + tonumber(lease), last + 1)) -- no two are the same
    redis.call('ZADD', due, lease_expires, entry)
    redis.call('HSET', tasks, kind .. ':lease', lease_expires)
    local tries = redis.call('HINCRBY', tasks, kind .. ':tries', 1)
    return {uid, kind, lease_expires, task, tries}
  end
end
return {}
