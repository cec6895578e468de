import { OidcProvider } from '#identity/oidc/oidc_provider'
import { RemoteProvider } from '#identity/external/remote_provider'
import type { IdentityProvider } from '#identity/provider'
import { providerSuite, type ProviderSubject } from '#tests/helpers/provider_suite'

import { ANN, StandInProvider } from './stand_in/stand_in_provider.js'
import { externalProvider, settingsFor } from './subjects.js'

type Driver = (standIn: StandInProvider) => IdentityProvider

const beside = (driver: Driver) => async (): Promise<ProviderSubject> => {
  const standIn = await StandInProvider.start()
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
  open: beside((standIn) => new OidcProvider(settingsFor(standIn))),
  keepsClients: false,
})

providerSuite('elsewhere, known by what it answers', {
  open: async () => {
    const subject = await beside((standIn) => new RemoteProvider(settingsFor(standIn)))()
    await subject.provider.metadata()
    return subject
  },
})
