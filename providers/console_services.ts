import type { ApplicationService } from '@adonisjs/core/types'

import { HubAddresses } from '#console/hub_addresses'
import { PageRunner } from '#console/page_runner'
import { Renewals } from '#console/session/renewals'
import { Sessions } from '#console/session/sessions'
import { ProviderEndpoints } from '#console/sign_in/provider_endpoints'
import { SignIn } from '#console/sign_in/sign_in'
import { SignOut } from '#console/sign_in/sign_out'
import { TokenRequests } from '#console/sign_in/token_requests'
import { UsedAttempts } from '#console/sign_in/used_attempts'
import { Views } from '#console/views'
import { makeOnce } from './made_once.js'

/** Binds the services of the console. */
export function wireConsole({ container }: ApplicationService): void {
  container.singleton(UsedAttempts, async (resolver) => {
    return new UsedAttempts(await resolver.make('redis'))
  })
  makeOnce(container, [
    HubAddresses,
    PageRunner,
    ProviderEndpoints,
    Renewals,
    Sessions,
    SignIn,
    SignOut,
    TokenRequests,
    Views,
  ])
}
