import type { OidcProblem } from './schema.ts'

/** A sign-in through the provider that failed. `reason` is for the operator's log and contains no tokens or codes. */
export class OidcError extends Error {
  readonly problem: OidcProblem

  constructor(problem: OidcProblem, reason: string) {
    super(reason)
    this.name = 'OidcError'
    this.problem = problem
  }
}
