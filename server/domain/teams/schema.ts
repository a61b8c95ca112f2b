import Type, { type Static } from 'typebox'
import { TEAM_ASSIGNMENTS } from '../../platform/db/tables.ts'
import { Id, Moment, Name, nullable } from '../schema.ts'

export const TEAM_NAME_MAX = 60
/** GET /teams returns all of them, with their members. */
export const TEAMS_MAX = 50
export const MEMBERS_MAX = 200
const OPEN_LIMIT_MAX = 1_000
/** Thirty days. */
const ANSWER_MINUTES_MAX = 43_200

export const TeamMember = Type.Object(
  {
    id: Id,
    nickname: Type.String(),
    isAway: Type.Boolean({
      description: 'They have set themselves to away: they are given no conversations.',
    }),
  },
  { title: 'TeamMember' },
)

const shown = {
  id: Id,
  name: Type.String(),
  color: Type.String({ description: '#rrggbb, lowercase.', examples: ['#2f80ed'] }),
  members: Type.Array(TeamMember, { description: 'By display name.' }),
  createdAt: Moment,
}

export const Team = Type.Object(shown, { title: 'Team' })
export type Team = Static<typeof Team>

export const TeamList = Type.Object(
  { teams: Type.Array(Team, { description: 'Ordered by name.' }) },
  {
    title: 'TeamList',
    examples: [
      {
        teams: [
          {
            id: 'cmi8q2f5c0007h4j6k8l0z2xc',
            name: 'Support',
            color: '#2f80ed',
            members: [{ id: 'cmi7z0p4d0000q2w4e6r8t0yu', nickname: 'Jonas', isAway: false }],
            createdAt: '2026-11-21T09:30:00.000Z',
          },
        ],
      },
    ],
  },
)

// Console -------------------------------------------------------------------------------------------------------------

const Minutes = nullable(Type.Integer({ minimum: 1, maximum: ANSWER_MINUTES_MAX }))

const rules = {
  /** Whether what comes to the team goes to its people by itself. */
  assignment: Type.Enum([...TEAM_ASSIGNMENTS]),
  /** How many open conversations a person may have to be given another; null: any number. */
  openLimit: nullable(Type.Integer({ minimum: 1, maximum: OPEN_LIMIT_MAX })),
  /** Whether somebody else gets the conversation when the customer writes while its person is away. */
  reassignsAway: Type.Boolean(),
  /** Business hours in which conversations are given to people and time counts; null: always. */
  hoursId: nullable(Id),
  /** Null: as the workspace has it. */
  firstAnswerMinutes: Minutes,
  nextAnswerMinutes: Minutes,
}

export const ManagedTeam = Type.Object({ ...shown, ...rules })
export type ManagedTeam = Static<typeof ManagedTeam>

export const ManagedTeamList = Type.Object({ teams: Type.Array(ManagedTeam) })
export const ManagedTeamAnswer = Type.Object({ team: ManagedTeam })
export const TeamParams = Type.Object({ teamId: Id })

/** The operation reports an invalid color, with an example. */
const Color = Type.String({ maxLength: 40, description: '#rrggbb' })

export const NewTeam = Type.Object({
  name: Name(TEAM_NAME_MAX, { description: 'Unique, case-insensitive.' }),
  color: Color,
  memberIds: Type.Array(Id, { maxItems: MEMBERS_MAX, uniqueItems: true }),
  ...rules,
})
export type NewTeam = Static<typeof NewTeam>

export const TeamRemoved = Type.Object({
  success: Type.Literal(true),
  /** Open conversations that no longer have a team. */
  conversationCount: Type.Integer(),
})
export type TeamRemoved = Static<typeof TeamRemoved>

/** Within how many minutes customers are answered, where their team says nothing else. */
export const AnswerTargets = Type.Object({
  firstAnswerMinutes: Minutes,
  nextAnswerMinutes: Minutes,
  hoursId: nullable(Id),
  /** Whether a reply of the AI agent is an answer. */
  aiCounts: Type.Boolean(),
})
export type AnswerTargets = Static<typeof AnswerTargets>

export const AwayBody = Type.Object({ isAway: Type.Boolean() })
export type AwayBody = Static<typeof AwayBody>
