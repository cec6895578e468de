import app from '@adonisjs/core/services/app'
import { embeddedProvider } from '#tests/helpers/identity/embedded_provider'
import { platformOrigin } from '#identity/embedded/platform_origin'
import { ClientService } from '#identity/clients/client_service'
import { seedIdentity } from '#identity/embedded/seeds'
import { ExternalProvider } from '#auth/external/external_provider'
import { RemoteProvider } from '#auth/external/remote_provider'
import { OidcProvider } from '#auth/oidc/oidc_provider'
import type { IdentityProvider } from '#auth/provider'
import { at, mountedAs } from '#tests/helpers/application'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { providerSuite, type ProviderSubject } from '#tests/helpers/identity/provider_suite'

import { ANN, StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider, settingsFor } from '#tests/unit/identity/subjects'

type Driver = (standIn: StandInProvider) => IdentityProvider

const beside =
  (driver: Driver, describesRealms = true) =>
  async (): Promise<ProviderSubject> => {
    const standIn = await StandInProvider.start()
    standIn.describesRealms = describesRealms
    const provider = driver(standIn)
    return {
      provider,
      url: standIn.url,
      user: { ...ANN, realm: 'site-a' },
      revoke: async (token) => standIn.revoke(token),
      async stop() {
        await provider.close()
        await standIn.goAway()
      },
    }
  }

providerSuite('external, over HTTP', { open: beside((standIn) => externalProvider(standIn)) })

providerSuite('external, that wants to know who asks about tokens', {
  open: beside((standIn) => externalProvider(standIn, { introspectionAuth: 'basic' })),
})

providerSuite('plain OpenID Connect, over HTTP', {
  open: beside((standIn) => new OidcProvider(settingsFor(standIn)), false),
  keepsClients: false,
})

providerSuite('elsewhere, known by what it answers', {
  open: async () => {
    const subject = await beside((standIn) => new RemoteProvider(settingsFor(standIn)))()
    await subject.provider.metadata()
    return subject
  },
})

const ADMIN = { username: 'admin', password: 'start123', realm: 'master' }

const revokingAt = (url: string) => async (token: string) => {
  await fetch(`${url}/token/revoke`, { method: 'POST', body: new URLSearchParams({ token }) })
}

providerSuite('embedded, in this process', {
  tells: true,
  open: async () => {
    const unmount = await mountedAs('together')
    await seedIdentity()
    const provider = await embeddedProvider()
    const url = at('identity', '')
    return {
      provider,
      url,
      user: ADMIN,
      revoke: revokingAt(url),
      async deactivate(clientId) {
        const clients = await app.container.make(ClientService)
        await clients.update(await platformOrigin(), clientId, { active: false })
      },
      async stop() {
        await provider.close()
        await unmount()
      },
    }
  },
})

providerSuite('external, over HTTP to the embedded one of another process', {
  open: async () => {
    const variables = { SURFACES: 'identity', JOBS: 'none' }
    const hub = await HubProcesses.start('server', { variables })
    const url = hub.origin
    const credentials = { clientId: 'system', clientSecret: 'start123' }
    const provider = new ExternalProvider({ ...settingsFor({ url }), credentials })
    return {
      provider,
      url,
      user: ADMIN,
      revoke: revokingAt(url),
      async stop() {
        await provider.close()
        await hub.remove()
      },
    }
  },
})
