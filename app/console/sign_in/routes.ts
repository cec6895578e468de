import type { HttpContext } from '@adonisjs/core/http'

import type { PageRoutes } from '#console/page_routes'
import { PageRunner } from '#console/page_runner'
import { SignIn } from './sign_in.js'
import { SignOut } from './sign_out.js'

export function signInRoutes(pages: PageRoutes): void {
  pages
    .open('/sign-in', 'signIn', 'To the identity provider, to sign in', async (ctx) => {
      const signIn = await ctx.containerResolver.make(SignIn)
      await signIn.start(ctx)
    })
    .open('/callback', 'finishSignIn', 'Back from the identity provider', async (ctx) => {
      const signIn = await ctx.containerResolver.make(SignIn)
      await signIn.finish(ctx)
    })
    .open('/signed-out', 'showSignedOut', 'The page after signing out', showSignedOut)
    .action('/sign-out', 'signOut', 'End the session', async (page, ctx) => {
      const signOut = await ctx.containerResolver.make(SignOut)
      return signOut.run(page, ctx)
    })
}

async function showSignedOut(ctx: HttpContext): Promise<void> {
  const runner = await ctx.containerResolver.make(PageRunner)
  await runner.showPlain(ctx, 'signed_out', 200)
}
