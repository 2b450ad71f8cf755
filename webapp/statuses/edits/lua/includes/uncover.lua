-- Covered pictures.

-- Show pictures again, but for those that moderators cover (2).
local function uncover(status, stored)
  if stored ~= '2' then redis.call('HDEL', status, 'sensitive') end
end
