-- Promote a post of one's own: book the budget, and wait for the review.
--
-- KEYS     status       statuses.status(id)
--          promotion    rewards.promotions.promotion(id)
--          words_key    rewards.promotions.promotion_words(id)
--          days_key     rewards.promotions.promotion_days(id)
--          own          rewards.promotions.promotions(uid)
--          running      rewards.promotions.running_promotions(id)
-- ARGV     words      with blanks
--          language   of readers, '' for all
--          kind       views, clicks or actions
--          price
--          budget     points
--          days       how long it runs
-- RETURNS  the member's points that are left
-- ERRORS   NOMEMBER, SUSPENDED, NOSTATUS, NOTPUBLIC, PROMOTED (already), PROMOTIONSFULL, FUNDS
-- WRITES   promotion, words_key, days_key, own, running
-- EMITS    promotion_changed

local OWN_MAX, RUNNING_MAX = 100, 20
require_active()
local author, visibility, group, edited = unpack(redis.call('HMGET', status, 'author', 'visibility',
  'group', 'edited'))
if author ~= uid then refuse('NOSTATUS', id) end
if visibility or group or redis.call('HGET', member, 'protected') then refuse('NOTPUBLIC', id) end
local state, last_run = unpack(redis.call('HMGET', promotion, 'state', 'run'))
if state and state ~= 'ended' then refuse('PROMOTED', id) end
if redis.call('ZCOUNT', running, uid, uid) >= RUNNING_MAX then refuse('PROMOTIONSFULL', uid) end
refuse_when_behind()
local run = id_text(math.max(now_ms(), tonumber(last_run or 0) + 1))  -- each is paid once
local balance = book(-tonumber(budget), 'promotion', 'promotion:' .. id .. ':' .. run)
if type(balance) == 'table' then return balance end

redis.call('DEL', promotion, words_key, days_key)
redis.call('HSET', promotion, 'uid', uid, 'state', 'waiting', 'run', run, 'words', words,
  'language', language, 'kind', kind, 'price', price, 'budget', budget, 'days', days,
  'version', edited or '0', 'spent', 0, 'views', 0, 'clicks', 0, 'actions', 0, 'open', '')
redis.call('ZADD', own, run, id)
redis.call('ZREMRANGEBYRANK', own, 0, -OWN_MAX - 1)
redis.call('ZADD', running, uid, id)
emit('promotion_changed', 'id', id)
return balance
