import { Invocation } from '#hubctl/invocation'
import { CONTEXT } from '#hubctl/sandbox/supervisor'

/** An invocation as the analyst of the sandbox. */
export const sandboxInvocation = <Options extends object>(
  { options }: Invocation,
  more: Options
): Invocation<Options> => new Invocation({ ...options, ...more, context: CONTEXT })
