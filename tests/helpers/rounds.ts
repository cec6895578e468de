/**
 * With how many random cases a property is tried: with all of them where `TEST_ROUNDS=all` asks for it, as
 * `npm run verify` does, else with a fifth, or a smaller share where each case takes long.
 */
export const rounds = (all: number, share = 5): number =>
  process.env.TEST_ROUNDS === 'all' ? all : Math.ceil(all / share)
