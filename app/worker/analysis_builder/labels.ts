/** What the image of an analysis says of itself. Nothing in it is different when the same is built again. */
export const LABELS = {
  analysis: 'analysis-hub.analysis',
  content: 'analysis-hub.content',
  recipe: 'analysis-hub.recipe',
  baseName: 'org.opencontainers.image.base.name',
  baseDigest: 'org.opencontainers.image.base.digest',
} as const

/** Which way images are made; one more, where the same content ends in another image. */
const RECIPE = '1'

interface ImageOrigin {
  readonly analysisId: string
  readonly content: string | undefined
  readonly base: { readonly name: string; readonly digest: string }
}

export function labelsOf({ analysisId, content, base }: ImageOrigin): Record<string, string> {
  return {
    [LABELS.analysis]: analysisId,
    ...(content !== undefined && { [LABELS.content]: content }),
    [LABELS.recipe]: RECIPE,
    [LABELS.baseName]: base.name,
    [LABELS.baseDigest]: base.digest,
  }
}

/** The digest of what nodes agree to, as the platform made it when it gave the command; others do not tell. */
export function contentIn({ content }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof content === 'string' && /^[\da-f]{64}$/.test(content) ? content : undefined
}
