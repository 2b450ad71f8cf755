-- Keep somebody who looks after a group.
--
-- KEYS     group       statuses.visibility.group(gid)
--          suspended   accounts.suspended_members(gid)
-- WRITES   nothing

-- Refuse to leave a group without an owner who is not suspended.
local function require_other_owner(owners, uid)
  local is_owner = redis.call('SISMEMBER', owners, uid) == 1
  if is_owner and not has_other_owner(owners, uid, suspended) then
    refuse('GROUPLASTOWNER', group)
  end
end
