import { Invocation } from '#hubctl/invocation'
import type { SandboxState } from '#hubctl/sandbox/sandbox_folder'

/** An invocation as the analyst of a running sandbox, whatever other hub the options and variables name. */
export function sandboxInvocation<Options extends object>(
  { options }: Invocation,
  { context }: SandboxState,
  more: Options
): Invocation<Options> {
  const { url, ...others } = options
  return new Invocation({ ...others, ...more, context })
}
