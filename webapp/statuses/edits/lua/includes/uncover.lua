-- Covered pictures.

-- Show pictures again, but for those that moderators cover (2, or 3 if their author does too).
local function uncover(status, stored)
  local by_moderators = stored == '2' or stored == '3'
  store_field(status, 'sensitive', by_moderators and 2 or '')
end
