import { SURFACE_NAMES, type SurfaceName } from '#configuration/surfaces'
import { addressIn } from '#hubctl/platform/addresses'
import { UsageProblem } from '#hubctl/problem'
import type { Context } from '#hubctl/settings/contexts'

/** `--service identity=https://login.example.org`: where services do not answer below the address of the platform. */
export function parseServices(texts: readonly string[] = []): Pick<Context, 'services'> {
  const services = texts.map((option) => {
    const [name = '', ...address] = option.split('=')
    if (!SURFACE_NAMES.includes(name as SurfaceName)) {
      throw new UsageProblem(
        `"${name}" is no service.`,
        `It is one of ${SURFACE_NAMES.join(', ')}: --service identity=https://login.example.org`
      )
    }
    return [name, addressIn(address.join('='))]
  })
  return services.length > 0 ? { services: Object.fromEntries(services) } : {}
}
