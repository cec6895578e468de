const splitWords = (text: string): readonly string[] => text.trim().split(/\s+/)

/** 64 words each, so that six random bits select one with equal probability. */
export const ADJECTIVES = splitWords(`
  able amber ample arctic bold brave bright brisk calm candid clear clever coral crisp curious daring
  deft eager early earnest fair fleet fond frank fresh gentle glad golden grand green happy hardy
  honest humble jolly keen kind lively loyal lucid lucky mellow merry mild modest neat noble patient
  placid proud quick quiet rapid serene sharp silver smooth solid steady sunny swift tidy vivid warm`)

export const NOUNS = splitWords(`
  acorn anchor badger beacon birch bridge brook canyon cedar cloud comet coral crane delta dune eagle
  ember falcon fern finch fjord forest fox garden glacier grove harbor hawk heron hill island ivy
  lagoon lake lantern larch lark lynx maple marsh meadow meteor moss oak orchid otter owl pebble
  pine planet prairie quartz raven reef ridge river robin sparrow spruce summit tulip valley willow wren`)
