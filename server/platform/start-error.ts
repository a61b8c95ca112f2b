/** Why Foyer can't start, in one plain line for the operator. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
  }
}
