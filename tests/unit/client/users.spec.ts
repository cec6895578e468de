import { transportTo } from '#auth/remote_surface'
import { readJson } from '#client/body'
import { SharedToken } from '#client/credentials'
import { HubClient } from '#console/hub_client'
import { Api } from '#hubctl/platform/api'
import { Addresses } from '#hubctl/platform/addresses'
import { Hub } from '#node/hub/hub'
import { describeClientUser } from '#tests/helpers/client/behaviours'
import type { TestPlatform } from '#tests/helpers/client/test_platform'
import { request } from '#worker/platform/platform_request'
import { workerCredentials } from '#worker/platform/worker_credentials'

/** A provider that has another token once it was asked about the one it has. */
function providerOf(platform: TestPlatform) {
  let token = platform.issue()
  return {
    ownToken: async () => token,
    introspect: async (refused: string) =>
      void (refused === token && (token = platform.issue())) as never,
  }
}

describeClientUser({
  name: 'a remote reader',
  renews: true,
  connect(platform) {
    const transport = transportTo({ provider: providerOf(platform) })
    return (signal) => transport.json(`${platform.url}/core/things`, { signal })
  },
})

describeClientUser({
  name: 'the console',
  renews: false,
  connect(platform) {
    const token = platform.issue()
    const origin = { address: '127.0.0.1', userAgent: undefined, requestId: 'request' }
    const addresses = { of: (service: string) => `${platform.url}/${service}` }
    return (signal) => new HubClient({ addresses, token, origin, signal }).read('core', '/things')
  },
})

describeClientUser({
  name: 'the worker',
  renews: true,
  connect({ url }) {
    const client = { id: 'worker', secret: () => 'secret', realm: 'master' }
    const credentials = workerCredentials({ ...client, url: () => `${url}/auth` })
    const service = { name: 'Core', url: () => `${url}/core` } as const
    return async (signal) => {
      const query = { service, path: '/things', signal }
      return readJson((await request({ credentials, retryForMs: 0 }, query))!)
    }
  },
})

describeClientUser({
  name: 'hubctl',
  renews: true,
  connect(platform) {
    const credentials = new SharedToken(async () => ({
      token: platform.issue(),
      renewAt: Infinity,
    }))
    const api = new Api(new Addresses(platform.url), credentials)
    return (signal) => api.read('core', '/things', { signal })
  },
})

describeClientUser({
  name: 'a node',
  renews: true,
  connect({ url }) {
    const hub = new Hub({ url }, { id: 'client', secret: 'secret' })
    return (signal) => hub.json('core', '/things', { signal })
  },
})
