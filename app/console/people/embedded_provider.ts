import { consoleSettings } from '#console/console_settings'
import type { PageHandler } from '#console/page_runner'

/** A page about accounts of the embedded provider. With an external provider it shows where the accounts are. */
export const atEmbeddedProvider =
  (handler: PageHandler): PageHandler =>
  (page, ctx) => {
    const { providerUrl } = consoleSettings()
    if (providerUrl === undefined) {
      return handler(page, ctx)
    }
    return page.view('people/elsewhere', {
      title: page.t('people.title'),
      provider: new URL(providerUrl).origin,
    })
  }
