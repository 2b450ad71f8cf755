-- What acts on drafts change that wait for moderators, and how they are taken back.
--
-- KEYS     drafts         statuses.drafts.drafts(uid)
--          draft_prefix   statuses.drafts.draft.prefix(uid)
--          scheduled      statuses.drafts.scheduled_posts(uid)

-- Return the draft that was saved then, with its form's key. `state`: what `failed` must be.
-- Return nil if it is gone, was saved again, or has another state.
local function draft_saved_at(saved, state)
  local form_key = redis.call('ZRANGE', drafts, saved, saved, 'BYSCORE')[1]
  local draft = draft_prefix .. uid .. ':' .. (form_key or '')
  if redis.call('HGET', draft, 'failed') == state then return draft, form_key end
end

-- Make a draft due, so that the worker posts it. Return false if there is none such.
local function publish_draft(data, state)
  local draft, form_key = draft_saved_at(data.post, state)
  if not draft then return false end
  redis.call('HDEL', draft, 'failed')
  redis.call('HSET', draft, 'due', id_text(data.now), 'reviewed', 1)
  redis.call('ZADD', scheduled, id_text(data.now), uid .. ':' .. form_key)
  return true
end

-- Return a draft that waits for moderators. Nobody decides about their own.
local function draft_to_decide(data)
  local draft = draft_saved_at(data.post, 'in_review') or refuse('NODRAFT', data.post)
  if data.by == uid then refuse('OWNDRAFT', uid) end
  return draft
end

-- Each function returns false if nothing would change. `on`: false takes the act back.
local draft_effects = {}

function draft_effects.publish(on, data)
  return draft_to_decide(data) and publish_draft(data, 'in_review')
end

function draft_effects.withhold(on, data)
  if not on then return publish_draft(data, 'withheld') end
  redis.call('HSET', draft_to_decide(data), 'failed', 'withheld')
  return true
end
