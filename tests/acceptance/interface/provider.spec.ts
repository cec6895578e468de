import { test } from '@japa/runner'

import { providerAddress, SERVICE_SECRET, SERVICES, useInstallation } from './installation.js'
import { accessToken, ADMINISTRATOR, CANNOT_INVITE, canInvite, signIn } from './login.js'
import { CLOSED_PATH, startProduction } from './production.js'
import type { Program } from './program.js'

test.group('Interface: services of a provider elsewhere', (group) => {
  useInstallation(group)
  let program: Program | undefined

  group.setup(async () => {
    if (canInvite()) {
      program = await startProduction({
        IDENTITY_URL: providerAddress(''),
        CLIENT_SECRET: SERVICE_SECRET,
      })
    }
    return () => program?.stop()
  })

  async function statusWith(token: string, path: string): Promise<number> {
    const response = await fetch(program!.origin + path, {
      headers: { authorization: `Bearer ${token}` },
    })
    await response.body?.cancel()
    return response.status
  }

  test(
    'What the service does / Common rules 3: {$self} lets in whom its OAuth provider vouches for'
  )
    .with([...SERVICES])
    .run(async ({ assert }, service) => {
      const path = `/${service}${CLOSED_PATH}`
      const known = await accessToken()
      const revoked = await signIn(ADMINISTRATOR)
      await fetch(providerAddress('/token/revoke'), {
        method: 'POST',
        headers: { authorization: `Bearer ${known}` },
        body: new URLSearchParams({ token: revoked }),
      })
      assert.equal(await statusWith(known, path), 200)
      assert.equal(await statusWith(revoked, path), 401)
      assert.equal(await statusWith(known.slice(0, -8) + 'AAAAAAAA', path), 401)
    })
    .skip(() => !canInvite(), CANNOT_INVITE)
})
