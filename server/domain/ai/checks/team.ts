/** The id of what the team says of the company in its instructions: a reply may be based on that as well. */
export const TEAM = 'team'
