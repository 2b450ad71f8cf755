-- Read what decides whether a reader gets a promoted post: the choices, the relationship to the
-- author, and what the reader did with the post.
--
-- KEYS     choices     rewards.promotions.promotion_choices(uid)
--          blocks      following.blocks(uid)
--          blockers    following.blockers(uid)
--          mutes       following.mutes(uid)
--          likes       statuses.interactions.member_likes(uid)
--          bookmarks   statuses.interactions.bookmarks(uid)
--          boosts      statuses.interactions.member_boosts(uid)
--          votes       statuses.polls.member_votes(uid)
-- ARGV     id
--          author
--          boost   the post as a member of `boosts`
-- RETURNS  1 if it is hidden (or false); scores of the author in the next three; the scores of the
--          post in the next three; the vote. nil if there is nothing of all that, as for most
-- WRITES   nothing

local off, hidden = unpack(redis.call('ZMSCORE', choices, 'off', id))
local found = {
  (off or hidden) and 1 or false,
  redis.call('ZSCORE', blocks, author),
  redis.call('ZSCORE', blockers, author),
  redis.call('ZSCORE', mutes, author),
  redis.call('ZSCORE', likes, id),
  redis.call('ZSCORE', bookmarks, id),
  redis.call('ZSCORE', boosts, boost),
  redis.call('HGET', votes, id),
}
for _, one in ipairs(found) do
  if one then return found end
end
return false
