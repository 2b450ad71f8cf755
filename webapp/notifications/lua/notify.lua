-- Add a notification to a member's list, once, and tell open pages and the member's devices. Above
-- the limit the oldest goes.
--
-- KEYS     user                  accounts.user(uid)
--          notifications         notifications.notifications(uid)
--          unread                notifications.unread_notifications(uid)
--          following             following.following(uid)
--          blocks                following.blocks(uid)
--          blockers              following.blockers(uid)
--          muted_notifications   following.muted_notifications(uid)
--          muted_conversations   statuses.threads.muted_conversations(uid)
--          subscriptions         following.subscriptions(uid)
--          hidden_replies        statuses.threads.hidden_replies(uid)
--          push_devices          notifications.push.push_devices(uid)
--          push_device_prefix    notifications.push.push_device.prefix(uid)
--          due_pushes            notifications.push.due_pushes(uid)
--          status?               hash: the recipient's status that is liked, boosted or quoted
-- ARGV     uid            the recipient
--          kind
--          actor          uid of who acted
--          subject        status id, 0, or `cid.message`
--          conversation   as `verify_source.lua` returned it
--          limit          NOTIFICATIONS_MAX
--          hidden         1 if a filter of the recipient hides it: it is not unread
--          again          1 if the member had it when it was new: it is not added, or ''
--          lane           in which devices get it, '' for none
--          delay          ms until then
--          thread         ids of a reply and of the statuses above it, spaced; '' for anything else
-- RETURNS  1, or 0 if it is there, or not wanted, or in a thread below a reply that the recipient
--          has hidden, or the recipient or their status is gone
-- WRITES   notifications, unread, due_pushes
-- FENCED

-- Return true if the member is notified of the actor's posts, and has no notification of this one.
local function is_subscribed()
  local about = ':' .. actor .. ':' .. subject
  return redis.call('ZSCORE', subscriptions, actor)
    and not redis.call('ZSCORE', notifications, 'mention' .. about)
    and not redis.call('ZSCORE', notifications, 'quote' .. about)
end

local login, preference, push =
  unpack(redis.call('HMGET', user, 'login', 'notify:' .. kind, 'push:' .. kind))
if not login then return 0 end
if status and redis.call('HGET', status, 'author') ~= uid then return 0 end
local entry = kind .. ':' .. actor .. ':' .. subject
if redis.call('ZSCORE', notifications, entry) then
  if hidden == '1' and redis.call('SREM', unread, entry) == 1 then -- its status was edited
    redis.call('PUBLISH', 'chat', 'b ' .. uid)
  end
  return 0
end
if again ~= '' then return 0 end
local relations = {
  following = following, blocks = blocks, blockers = blockers,
  muted_notifications = muted_notifications,
}
if not is_wanted(uid, actor, preference, relations) then return 0 end
if is_muted(thread, conversation, status, hidden_replies, muted_conversations) then return 0 end
if kind == 'post' and not is_subscribed() then return 0 end

-- Later than the newest one, except those that a wrong clock has dated.
local now = now_us()
local newest = redis.call('ZRANGE', notifications, id_text(now + AHEAD_MS * 1000), '-inf',
  'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')
local created_us = math.max(now, tonumber(newest[2] or 0) + 1)
redis.call('ZADD', notifications, id_text(created_us), entry)
if hidden == '0' then redis.call('SADD', unread, entry) end
for _ = 1, redis.call('ZCARD', notifications) - tonumber(limit) do
  redis.call('SREM', unread, redis.call('ZPOPMIN', notifications)[1])
end
if lane ~= '' and hidden == '0' then
  queue_push(uid, kind, push, lane, delay, push_devices, push_device_prefix, due_pushes)
end
redis.call('PUBLISH', 'chat', 'b ' .. uid)
return 1
