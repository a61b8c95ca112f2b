import Type, { type Static } from 'typebox'

/** What a token opens. */
export const Verification = Type.Object(
  {
    company: Type.Object({ id: Type.String(), name: Type.String() }),
    token: Type.Object({ id: Type.String(), name: Type.String() }),
  },
  {
    title: 'Verification',
    examples: [
      {
        company: { id: 'cmi8q2f5c0000x7h2k9d3m1vb', name: 'Northwind Bikes' },
        token: { id: 'cmi8q2f5c0001b4n8s6w0z2yt', name: 'CRM sync' },
      },
    ],
  },
)
export type Verification = Static<typeof Verification>
