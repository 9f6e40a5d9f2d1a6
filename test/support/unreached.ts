const onlyPrograms = 'only programs need it'
const otherWay = 'a form does the same by another endpoint'

const reasons = {
  [onlyPrograms]: [
    'POST /api/search_site_names',
    'POST /api/store_visits',
    'POST /api/v1/access_token',
    'POST /api/v1/revoke_token',
    'POST [/s/{sub}]/api/flairselector',
  ],
  [otherWay]: [
    'DELETE /api/multi/{multipath}/s/{srname}',
    'DELETE /api/v1/me/friends/{username}',
    'POST /api/login',
    'POST /api/register',
    'PATCH /api/v1/subsite/update_settings',
    'PUT /api/multi/{multipath}/description',
    'PUT /api/multi/{multipath}/s/{srname}',
  ],
  'its form is on a page that only its own steps lead to: a captcha, the consent to an app': [
    'POST /api/new_captcha',
    'POST /api/v1/authorize',
  ],
} as const

/** The reasons why no form of a page reaches an endpoint that writes. */
export const unreached: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(reasons).flatMap(([reason, names]) => names.map((name: string) => [name, reason] as const)),
)
