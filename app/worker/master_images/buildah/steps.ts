const STEP = /^(?:\[(\d+)\/(\d+)\] )?STEP (\d+)\/(\d+):/

/** How far a build is, by the lines that buildah writes before each step. Stages count alike, however many steps they have. */
export function stepIn(line: string): { readonly share: number } | undefined {
  const said = STEP.exec(line)
  if (!said) {
    return undefined
  }
  const [stage, stages, step, steps] = said.slice(1).map((digits) => Number(digits ?? 1))
  return { share: Math.min(1, (stage! - 1 + (step! - 1) / steps!) / stages!) }
}
