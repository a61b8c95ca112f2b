// Who a signed identity is about. Nothing is proven here: it only decides where this browser keeps what is theirs, and
// the server checks the signature.

/** Null if it is not a JWT with a sub. */
export const personOf = (identity: string): string | null => {
  try {
    const payload = identity.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/')
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
    const { sub } = JSON.parse(new TextDecoder().decode(bytes)) as { sub?: unknown }
    return typeof sub === 'string' && sub !== '' ? sub : null
  } catch {
    return null
  }
}
