import { EmbeddedProvider } from '#identity/embedded/embedded_provider'
import { boot } from '#tests/helpers/application'

/** Another embedded provider, as a process of its own has it. */
export async function embeddedProvider(): Promise<EmbeddedProvider> {
  const app = await boot()
  return app.container.make(EmbeddedProvider)
}
