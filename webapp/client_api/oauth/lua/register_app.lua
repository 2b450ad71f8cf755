-- Register an app. It is forgotten unless a member allows it.
--
-- KEYS     app    client_api.oauth.oauth_app(client_id)
-- ARGV     seconds     until it is forgotten
--          fields...   names and values in turn

redis.call('HSET', app, unpack(fields))
return redis.call('EXPIRE', app, seconds)
