/**
 * Another process that serves sockets, for tests: to clients that have the token it was given, on the port it tells its parent.
 */
import { RedisSubscriber } from '#realtime/redis_subscriber'
import { loadSettings } from '#runtime/application'
import { REALMS } from './identities.js'
import { socketSite } from '#tests/helpers/realtime/sockets'

await loadSettings()
const ears = await RedisSubscriber.connect(process.env.PEER_REDIS_URL!, () => {})
const site = await socketSite({
  adapter: ears.adapter,
  authenticator: {
    verify: (token) =>
      token === process.env.PEER_TOKEN
        ? {
            kind: 'user',
            id: 'somebody',
            name: 'somebody',
            realmId: REALMS.master,
            realmName: 'master',
            clientId: null,
            permissions: new Set(['node_update']),
            expiresAt: Number.MAX_SAFE_INTEGER,
          }
        : undefined,
  },
})
process.send!(site.url)
process.once('disconnect', () => process.exit())
