import { SURFACE_NAMES, type SurfaceName } from '#configuration/surfaces'
import { addressIn } from '#hubctl/platform/addresses'
import { UsageProblem } from '#hubctl/problem'
import type { Context } from '#hubctl/settings/contexts'

/** Parses `--service identity=https://login.example.org`, for services with an address of their own. */
export function parseServices(texts: readonly string[] = []): Pick<Context, 'services'> {
  const services = texts.map((option) => {
    const [name = '', ...address] = option.split('=')
    if (!SURFACE_NAMES.includes(name as SurfaceName)) {
      throw new UsageProblem(
        `"${name}" is not a service.`,
        `Use one of ${SURFACE_NAMES.join(', ')}: --service identity=https://login.example.org`
      )
    }
    return [name, addressIn(address.join('='))]
  })
  return services.length > 0 ? { services: Object.fromEntries(services) } : {}
}
