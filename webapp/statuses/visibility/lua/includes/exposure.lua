-- The rule by which blocks and mutes hide statuses. statuses/visibility/policy.py has the same
-- rule, and one table of cases tests both.

-- Return where a viewer sees an author's statuses, as far as blocks and mutes decide it:
-- 'in_timelines', 'on_request' or 'hidden'.
local function exposure(blocks, is_blocked_by, mutes)
  if blocks or is_blocked_by then return 'hidden' end
  return mutes and 'on_request' or 'in_timelines'
end
