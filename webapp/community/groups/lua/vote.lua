-- Vote on a post of a group, up or down, or take the vote back. The count changes by the true
-- difference, in this step. The voters are kept as long as the vote may change.
--
-- KEYS     members   statuses.visibility.group_members(gid)
--          posts     statuses.visibility.group_posts(gid)
--          votes     community.groups.group_votes(gid)
--          voters    community.groups.group_voters(gid, id)
-- ARGV     uid
--          author    of the post
--          vote      1, 0 or -1
--          seconds   for which a post takes votes
-- RETURNS  the votes of the post
-- ERRORS   NOGROUP, NOTINGROUP, NOVOTING, NOSTATUS, OWNVOTE, VOTELATE
-- WRITES   votes, voters

require_existing_group()
if not redis.call('ZSCORE', members, uid) then refuse('NOTINGROUP', group) end
local voting = redis.call('HGET', group, 'voting')
if voting == '' or voting == 'up' and vote == '-1' then refuse('NOVOTING', group) end
local entry = id .. ':' .. author
if not redis.call('ZSCORE', posts, entry) then refuse('NOSTATUS', id) end
if author == uid then refuse('OWNVOTE', id) end
local ends = created_ms(id) + tonumber(seconds) * 1000
if now_ms() >= ends then refuse('VOTELATE', id) end
local change = tonumber(vote) - tonumber(redis.call('HGET', voters, uid) or 0)
if change == 0 then return tonumber(redis.call('ZSCORE', votes, entry)) end
redis.call('HSET', voters, uid, vote)
redis.call('PEXPIREAT', voters, id_text(ends))
return tonumber(redis.call('ZINCRBY', votes, change, entry))
