-- Read a partition's events for one group, provided the reader still holds the lease.
-- Events that a former owner reads would otherwise wait for it for ever.
--
-- KEYS     lease    core.events.lease(partition, group)
--          outbox   core.events.outbox(partition)
-- ARGV     token      fencing token of the reader
--          group      of the reader
--          consumer   name of the reader in the group
--          limit      most events
--          pending    '1' to read events first that were read but not acknowledged
--          groups...  all that read the outbox; created if they do not exist
-- RETURNS  1 if the entries are such events, otherwise 0; entries {id, fields}
-- ERRORS   LEASELOST
-- WRITES   nothing

if redis.call('HGET', lease, 'token') ~= token then
  refuse('LEASELOST', 'a newer owner reads here')
end

local function read(start)
  return redis.pcall(
    'XREADGROUP', 'GROUP', group, consumer, 'COUNT', limit, 'STREAMS', outbox, start
  )
end

-- All begin with the oldest event, before a sweep can drop it: also a group that an upgrade adds.
local function create_groups()
  for _, name in ipairs(groups) do
    redis.pcall('XGROUP', 'CREATE', outbox, name, '0', 'MKSTREAM')
  end
end

local function read_or_create(start)
  local reply = read(start)
  if reply and reply.err and string.find(reply.err, 'NOGROUP', 1, true) then
    create_groups()
    reply = read(start)
  end
  return reply
end

if pending == '1' then
  create_groups()
  local reply = read_or_create('0')
  if reply.err then return reply end
  if #reply[1][2] > 0 then return { 1, reply[1][2] } end
end
local reply = read_or_create('>')
if reply and reply.err then return reply end
return { 0, reply and reply[1][2] or {} }
