import type { HttpContext } from '@adonisjs/core/http'

import type { PageRoutes } from '#console/page_routes'
import { PageRunner } from '#console/page_runner'
import { SignIn } from './sign_in.js'
import { SignOut } from './sign_out.js'

export function signInRoutes(pages: PageRoutes): void {
  pages
    .open('/sign-in', 'signIn', 'Redirect to the identity provider to sign in', async (ctx) => {
      const signIn = await ctx.containerResolver.make(SignIn)
      await signIn.start(ctx)
    })
    .open(
      '/callback',
      'finishSignIn',
      'Finish the sign-in after the redirect of the identity provider',
      async (ctx) => {
        const signIn = await ctx.containerResolver.make(SignIn)
        await signIn.finish(ctx)
      }
    )
    .open('/signed-out', 'showSignedOut', 'Show the page after the sign-out', showSignedOut)
    .action('/sign-out', 'signOut', 'Sign out', async (page, ctx) => {
      const signOut = await ctx.containerResolver.make(SignOut)
      return signOut.run(page, ctx)
    })
}

async function showSignedOut(ctx: HttpContext): Promise<void> {
  const runner = await ctx.containerResolver.make(PageRunner)
  await runner.showPlain(ctx, 'signed_out', 200)
}
