import { Command, Option } from 'commander'

import { SURFACE_NAMES, type SurfaceName } from '#configuration/surfaces'
import { perform, type Invocation } from '#hubctl/invocation'
import { bodyFrom } from '#hubctl/kinds/body_values'
import { withDryRun } from '#hubctl/options'
import { UsageProblem } from '#hubctl/problem'

interface ApiOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly file?: string
}

const HELP = `
For requests that no other command sends; docs/endpoints.md lists the routes.
The method is GET, or POST with attributes, unless --method sets it. The answer
is shown as JSON, unless --output sets another format.

Examples:
  hubctl api core '/nodes?page[limit]=1'
  hubctl api core /analyses/<id>/command command=buildCheck
  hubctl api telemetry /events/verify -o jsonpath=data.intact`

export function apiCommand(): Command {
  const command = new Command('api')
    .description('send a request to the API')
    .argument('<service>', SURFACE_NAMES.join(', '))
    .argument('<path>', 'a path of the service, with its query')
    .argument('[attributes...]', 'key=value of the body; key=@file reads the value from a file')
    .addOption(new Option('-X, --method <method>', 'the method').choices(['GET', 'POST', 'DELETE']))
    .option('-f, --file <file>', 'a file with the body in JSON or YAML; - is standard input')
    .addHelpText('after', HELP)
  return withDryRun(command).action(perform(request))
}

async function request(
  invocation: Invocation<ApiOptions>,
  service: string,
  path: string,
  pairs: string[]
): Promise<void> {
  const { options, output } = invocation
  const surface = surfaceIn(service)
  if (!path.startsWith('/')) {
    throw new UsageProblem(`"${path}" is not a path.`, `A path starts with a slash: /${path}`)
  }
  const hasBody = options.file !== undefined || pairs.length > 0
  const body = hasBody ? await bodyFrom({}, options.file, pairs) : undefined
  const { method = hasBody ? 'POST' : 'GET' } = options
  const api = await invocation.api()
  if (method === 'GET') {
    return output.value(await api.read(surface, path))
  }
  const answer = await api.change(method, surface, path, body)
  if (answer !== undefined && answer !== null) {
    output.value(answer)
  }
}

function surfaceIn(name: string): SurfaceName {
  const surface = SURFACE_NAMES.find((one) => one === name)
  if (!surface) {
    throw new UsageProblem(
      `"${name}" is not a service.`,
      `Use one of ${SURFACE_NAMES.join(', ')}: hubctl api core /nodes`
    )
  }
  return surface
}
