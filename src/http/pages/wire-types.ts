/** The answers of GET requests that pages name, by their endpoints. Made by `npm run generate` from the OpenAPI document. */

export interface components {
    schemas: {
        Answers: {
            "GET /api/v1/apps": components["schemas"]["App"][];
            "GET [/s/{sub}]/submit": { subsite: string | null; kinds: ("link" | "self")[]; captcha: string | null; title: string; url: string; text: string };
            "GET [/s/{sub}]/api/info": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: (components["schemas"]["LinkThing"] | components["schemas"]["CommentThing"] | components["schemas"]["SubsiteThing"])[];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET /by_id/{names}": components["schemas"]["LinkListing"] | components["schemas"]["PastLinkListing"] | components["schemas"]["PastCommentListing"];
            "GET /api/saved_categories": {
                categories: { category: string }[];
            } | components["schemas"]["FormErrors"];
            "GET /s/{sub}/about/flair": components["schemas"]["SubsiteFlair"];
            "GET [/s/{sub}]/api/flairlist": {
                users: { user: string; flair_text: string | null; flair_css_class: string | null }[];
                next?: string;
                prev?: string;
            };
            "GET [/s/{sub}]/api/user_flair_v2": components["schemas"]["FlairTemplate"][];
            "GET [/s/{sub}]/api/link_flair_v2": components["schemas"]["FlairTemplate"][];
            "GET [/s/{sub}]/hot": components["schemas"]["LinkListing"];
            "GET /": components["schemas"]["LinkListing"];
            "GET [/s/{sub}]/new": components["schemas"]["LinkListing"];
            "GET [/s/{sub}]/{sort}": components["schemas"]["LinkListing"];
            "GET /domain/{host}/{sort}": components["schemas"]["LinkListing"];
            "GET /duplicates/{article}": [
                components["schemas"]["LinkListing"],
                components["schemas"]["LinkListing"]
            ];
            "GET [/s/{sub}]/search": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["LinkThing"][];
                    after: null | string;
                    before: null | string;
                    facets: {
                        subsites?: { name: string; url: string; count: number }[];
                    };
                };
            } | {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["SubsiteThing"][];
                    after: null | string;
                    before: null | string;
                    facets: {
                        subsites?: { name: string; url: string; count: number }[];
                    };
                };
            } | [
                {
                    kind: "Listing";
                    data: {
                        modhash: string | null;
                        dist: number;
                        children: components["schemas"]["SubsiteThing"][];
                        after: null | string;
                        before: null | string;
                    };
                },
                {
                    kind: "Listing";
                    data: {
                        modhash: string | null;
                        dist: number;
                        children: components["schemas"]["LinkThing"][];
                        after: null | string;
                        before: null | string;
                        facets: {
                            subsites?: { name: string; url: string; count: number }[];
                        };
                    };
                }
            ];
            "GET [/s/{sub}]/comments/{article}": [
                components["schemas"]["LinkListing"],
                components["schemas"]["CommentListing"]
            ];
            "GET /api/morechildren": {
                json: {
                    errors: components["schemas"]["FormError"][];
                    data: { things: (components["schemas"]["CommentThing"] | components["schemas"]["MoreThing"])[] };
                };
            } | components["schemas"]["FormErrors"];
            "GET [/s/{sub}]/comments": components["schemas"]["CommentListing"];
            "GET [/s/{sub}]/gilded": components["schemas"]["ThingListing"];
            "GET /message/compose": { captcha: string | null; to: string; subject: string; text: string; from_sr: string; senders: string[] };
            "GET /message/{where}": components["schemas"]["InboxListing"];
            "GET /message/{compartment}": components["schemas"]["InboxListing"];
            "GET /message/messages/{mid}": components["schemas"]["MessageListing"];
            "GET [/s/{sub}]/about/message/{box}": components["schemas"]["MessageListing"];
            "GET /message/reported": components["schemas"]["MessageListing"];
            "GET /report": {
                id: string;
                thing: (components["schemas"]["LinkThing"] | components["schemas"]["CommentThing"]) | null;
                rules: string[];
                site_rules: string[];
            };
            "GET [/s/{sub}]/about/log": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["ModActionThing"][];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET /history/events": components["schemas"]["HistoryEventLine"][];
            "GET /history/things/{thing}": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["ThingEventThing"][];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET /history": components["schemas"]["History"];
            "GET [/s/{sub}]/about/{location}": components["schemas"]["ThingListing"] | {
                kind: "UserList";
                data: { children: components["schemas"]["Moderator"][] };
            } | {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: (components["schemas"]["BannedAccount"] | components["schemas"]["Contributor"])[];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET /api/v1/site/log": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["SiteActionThing"][];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET /api/v1/site/status": components["schemas"]["SiteStatus"];
            "GET /api/v1/site/account": { name: string; account: components["schemas"]["SiteAccount"] | null };
            "GET /s/{sub}/about": components["schemas"]["SubsiteThing"];
            "GET /s/{sub}/about/edit": components["schemas"]["SubsiteSettingsThing"];
            "GET /subs/{where}": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["SubsiteThing"][];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET /subs/mine/{where}": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["SubsiteThing"][];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET /subsites/create": { captcha: string | null; name: string };
            "GET /s/{sub}/about/traffic": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["TrafficThing"][];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET [/s/{sub}]/about/{where}": components["schemas"]["ThingListing"] | {
                kind: "UserList";
                data: { children: components["schemas"]["Moderator"][] };
            } | {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: (components["schemas"]["BannedAccount"] | components["schemas"]["Contributor"])[];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET /api/v1/{subsite}/moderators_invited": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["Moderator"][];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET /s/{sub}/about/rules": { site_rules: string[]; rules: components["schemas"]["RuleRecord"][] };
            "GET /subsites/search": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["SubsiteThing"][];
                    after: null | string;
                    before: null | string;
                    facets: Record<string, never>;
                };
            };
            "GET /s/{sub}/about/stylesheet": components["schemas"]["StylesheetThing"];
            "GET [/s/{sub}]/sidebar": { description: string; description_html: string | null };
            "GET /api/multi/mine": components["schemas"]["LabeledMultiThing"][];
            "GET /api/multi/user/{username}": components["schemas"]["LabeledMultiThing"][];
            "GET /user/{username}/about": components["schemas"]["AccountThing"] | components["schemas"]["SessionAccountThing"] | components["schemas"]["SuspendedAccountThing"] | components["schemas"]["PastAccountThing"];
            "GET /user/{username}/{where}": components["schemas"]["ThingListing"];
            "GET /prefs/{where}": {
                kind: "UserList";
                data: { children: (components["schemas"]["Friend"] | components["schemas"]["Contributor"])[] };
            } | {
                kind: "UserList";
                data: { children: components["schemas"]["Friend"][] };
            }[];
            "GET [/s/{sub}]/wiki/{page}": components["schemas"]["WikiPageThing"];
            "GET [/s/{sub}]/wiki/pages": components["schemas"]["WikiPageNamesThing"];
            "GET [/s/{sub}]/wiki/revisions": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["WikiRevision"][];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET [/s/{sub}]/wiki/revisions/{page}": {
                kind: "Listing";
                data: {
                    modhash: string | null;
                    dist: number;
                    children: components["schemas"]["WikiRevision"][];
                    after: null | string;
                    before: null | string;
                };
            };
            "GET [/s/{sub}]/wiki/settings/{page}": components["schemas"]["WikiPageSettingsThing"];
            "GET [/s/{sub}]/wiki/discussions/{page}": components["schemas"]["LinkListing"];
            "GET /api/me.json": components["schemas"]["SessionAccountThing"] | {
                data: { features: Record<string, never> };
            };
            "GET /prefs/account": components["schemas"]["OwnAccount"];
            "GET /api/v1/me/prefs": components["schemas"]["SomePreferences"];
            "GET /prefs/options": components["schemas"]["Preferences"];
            "GET /api/v1/me/karma": components["schemas"]["KarmaList"];
            "GET /api/v1/me/trophies": components["schemas"]["TrophyList"];
            "GET /api/v1/me/sessions": components["schemas"]["Session"][];
            "GET /api/v1/me/grants": components["schemas"]["Grant"][];
            "GET /api/v1/me/feeds": components["schemas"]["PrivateFeeds"];
        };
        ErrorCode: "BAD_REQUEST" | "UNAUTHORIZED" | "SESSION_REQUIRED" | "INSUFFICIENT_SCOPE" | "INVALID_MODHASH" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "READ_ONLY" | "CONFLICT" | "ALREADY_STICKIED" | "DECIDED_MEANWHILE" | "AHEAD_OF_LOG" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "FAULT" | "LENGTH_REQUIRED" | "TOO_LARGE" | "UNSUPPORTED_ENCODING" | "UNPROCESSABLE" | "TOO_MANY_REQUESTS" | "UNAVAILABLE" | "TOO_MANY_AT_ONCE" | "TOO_BUSY" | "OUTCOME_UNKNOWN" | "IN_TIMEOUT" | "USER_REQUIRED" | "RATELIMIT" | "NO_TEXT" | "TOO_LONG" | "BAD_CAPTCHA" | "TOO_COMPLEX" | "BAD_STRING" | "BAD_NUMBER" | "INVALID_OPTION" | "NO_SUBJECT" | "NO_USER" | "USER_DOESNT_EXIST" | "NO_THING_ID" | "TOO_MANY_THING_IDS" | "SUBSITE_NOEXIST" | "SUBSITE_REQUIRED" | "SUBSITE_NOTALLOWED" | "SUBSITE_NO_ACCESS" | "SUBSITE_EXISTS" | "SR_RULE_EXISTS" | "SR_RULE_TOO_MANY" | "SR_RULE_DOESNT_EXIST" | "BAD_CSS_NAME" | "BAD_CSS" | "IMAGE_ERROR" | "BAD_SR_NAME" | "ADMIN_REQUIRED" | "INSUFFICIENT_CSITES" | "GOLD_REQUIRED" | "GOLD_ONLY_SR_REQUIRED" | "CANT_CONVERT_TO_GOLD_ONLY" | "NO_URL" | "BAD_URL" | "INVALID_SCHEME" | "DOMAIN_BANNED" | "ALREADY_SUB" | "NO_LINKS" | "NO_SELFS" | "TOO_OLD" | "THREAD_LOCKED" | "DELETED_COMMENT" | "COMMENT_NOT_STICKYABLE" | "NOT_AUTHOR" | "THING_ERASED" | "TOO_MANY_ERASED" | "SUBSITE_RATELIMIT" | "ALREADY_MODERATOR" | "CANT_RESTRICT_MODERATOR" | "BANNED_FROM_SUBSITE" | "MUTED_FROM_SUBSITE" | "USER_MUTED" | "INVALID_PERMISSION_TYPE" | "INVALID_PERMISSIONS" | "NO_INVITE_FOUND" | "BAD_FLAIR_TARGET" | "TOO_MUCH_FLAIR_CSS" | "TOO_MANY_FLAIR_TEMPLATES" | "NO_SR_TO_SR_MESSAGE" | "BAD_USERNAME" | "USERNAME_TOO_SHORT" | "USERNAME_INVALID_CHARACTERS" | "USERNAME_TAKEN" | "USERNAME_TAKEN_DEL" | "BAD_EMAIL" | "SHORT_PASSWORD" | "BAD_PASSWORD_MATCH" | "INCORRECT_USERNAME_OR_PASSWORD" | "WRONG_PASSWORD" | "LOGGED_IN" | "BAD_SAVE_CATEGORY" | "USER_BLOCKED" | "USER_BLOCKED_MESSAGE" | "TOO_MANY_BLOCKED" | "TOO_MANY_SUBSCRIBED" | "TOO_MANY_MUTED" | "NON_PREFERENCE" | "NOT_FRIEND" | "BAD_JSONP_CALLBACK" | "JSON_PARSE_ERROR" | "JSON_INVALID" | "JSON_MISSING_KEY" | "BAD_MULTI_PATH" | "BAD_MULTI_NAME" | "BAD_COLOR" | "MULTI_NOT_FOUND" | "MULTI_EXISTS" | "MULTI_CANNOT_EDIT" | "MULTI_SPECIAL_SUBSITE" | "MULTI_TOO_MANY_SUBSITES" | "MULTI_TOO_LONG_DESCRIPTIONS" | "TOO_MANY_MULTIS" | "MOD_REQUIRED" | "NOT_WIKIABLE" | "WIKI_DISABLED" | "INVALID_PAGE_NAME" | "PAGE_NOT_FOUND" | "PAGE_NOT_CREATED" | "PAGE_CREATED_ELSEWHERE" | "PAGE_NAME_LENGTH" | "PAGE_NAME_MAX_SEPARATORS" | "TOO_MANY_PAGES" | "TOO_MANY_EDITORS" | "RESTRICTED_PAGE" | "MAY_NOT_VIEW" | "MAY_NOT_REVISE" | "INVALID_PERMLEVEL" | "INVALID_REVISION" | "HIDDEN_REVISION" | "CONTENT_LENGTH_ERROR" | "SPECIAL_ERRORS" | "INVALID_CSS" | "EDIT_CONFLICT" | "UNKNOWN_USER" | "OAUTH2_INVALID_CLIENT" | "OAUTH2_INVALID_REDIRECT_URI" | "OAUTH2_INVALID_RESPONSE_TYPE" | "OAUTH2_INVALID_SCOPE" | "OAUTH2_INVALID_GRANT" | "OAUTH2_UNAUTHORIZED_CLIENT" | "OAUTH2_CONFIDENTIAL_TOKEN" | "OAUTH2_NO_REFRESH_TOKENS_ALLOWED";
        FormError: [
            components["schemas"]["ErrorCode"],
            string,
            string | null
        ];
        FormErrors: {
            json: { errors: components["schemas"]["FormError"][]; ratelimit?: number; captcha?: string; redirect?: string };
        };
        App: {
            client_id: string;
            name: string;
            app_type: "script" | "web" | "installed";
            redirect_uri: string;
            description: string;
            created_utc: number;
        };
        CommentThing: { kind: "t1"; data: components["schemas"]["Comment"] };
        Comment: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            author: string;
            author_fullname: string | null;
            author_flair_text: string | null;
            author_flair_css_class: string | null;
            body: string;
            body_html: string;
            link_id: string;
            parent_id: string;
            subsite: string;
            subsite_id: string;
            subsite_type: string;
            distinguished: ("moderator" | "admin" | "special") | null;
            gilded: number;
            permalink: string;
            removal_reason: string | null;
            is_submitter: boolean;
            stickied: boolean;
            score_hidden: boolean;
            archived: boolean;
            score: number;
            ups: number;
            downs: number;
            controversiality: 0 | 1;
            likes: true | null;
            dislikes: true | null;
            saved: boolean;
            muted: boolean;
            collapsed: boolean;
            edited: false | number;
            num_reports: number | null;
            report_reasons: null[] | null;
            user_reports: [
                string | null,
                number
            ][];
            mod_reports: [
                string | null,
                string
            ][];
            approved_by: string | null;
            banned_by: null | boolean | string;
            approved?: boolean;
            removed?: boolean;
            spam?: boolean;
            category?: string | null;
            depth?: number;
            link_title?: string;
            link_author?: string;
            link_url?: string;
            over_18?: boolean;
            quarantine?: boolean;
            replies: components["schemas"]["CommentListing"] | "";
        };
        CommentListing: {
            kind: "Listing";
            data: {
                modhash: string | null;
                dist: number;
                children: (components["schemas"]["CommentThing"] | components["schemas"]["MoreThing"])[];
                after: null | string;
                before: null | string;
            };
        };
        MoreThing: { kind: "more"; data: components["schemas"]["More"] };
        More: { id: string; name: string; parent_id: string; count: number; children: string[]; depth: number };
        MessageThing: { kind: "t6"; data: components["schemas"]["Message"] };
        Message: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            author: string | null;
            author_fullname: string | null;
            dest: string;
            subject: string;
            body: string;
            body_html: string;
            subsite: string | null;
            new: boolean;
            is_collapsed: boolean;
            type: "unknown";
            was_comment: false;
            context: "";
            first_message: number | null;
            first_message_name: string | null;
            parent_id: string | null;
            replies: components["schemas"]["MessageListing"] | "";
            distinguished: ("moderator" | "admin" | "special" | "gold-auto") | null;
            num_reports?: number;
            user_reports?: [
                string | null,
                number
            ][];
        };
        MessageListing: {
            kind: "Listing";
            data: {
                modhash: string | null;
                dist: number;
                children: components["schemas"]["MessageThing"][];
                after: null | string;
                before: null | string;
            };
        };
        LinkThing: { kind: "t5"; data: components["schemas"]["Link"] };
        Link: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            title: string;
            author: string;
            author_fullname: string | null;
            author_flair_text: string | null;
            author_flair_css_class: string | null;
            subsite: string;
            subsite_id: string;
            subsite_type: string;
            domain: string;
            url: string;
            permalink: string;
            is_self: boolean;
            is_video: false;
            selftext: string;
            selftext_html: string | null;
            score: number;
            ups: number;
            downs: number;
            upvote_ratio: number;
            num_comments: number;
            over_18: boolean;
            quarantine: boolean;
            spoiler: boolean;
            locked: boolean;
            contest_mode: boolean;
            stickied: boolean;
            pinned: false;
            suggested_sort: string | null;
            link_flair_text: string | null;
            link_flair_css_class: string | null;
            link_flair_template_id: string | null;
            distinguished: ("moderator" | "admin" | "special") | null;
            gilded: number;
            clicked: boolean;
            thumbnail: string;
            media: null;
            secure_media: null;
            media_embed: Record<string, never>;
            secure_media_embed: Record<string, never>;
            removal_reason: string | null;
            likes: true | null;
            dislikes: true | null;
            saved: boolean;
            muted: boolean;
            hidden: boolean;
            visited: boolean;
            hide_score: boolean;
            archived: boolean;
            edited: false | number;
            num_reports: number | null;
            report_reasons: null[] | null;
            user_reports: [
                string | null,
                number
            ][];
            mod_reports: [
                string | null,
                string
            ][];
            approved_by: string | null;
            banned_by: null | boolean | string;
            approved?: boolean;
            removed?: boolean;
            spam?: boolean;
            category?: string | null;
            sr_detail?: components["schemas"]["SubsiteDetail"];
        };
        SubsiteDetail: {
            name: string;
            display_name: string;
            url: string;
            banner_img: (string | null) | null;
            banner_size: (number[] | null) | null;
            header_img: (string | null) | null;
            header_size: (number[] | null) | null;
            icon_img: (string | null) | null;
            icon_size: (number[] | null) | null;
            key_color: string | null;
            subscribers: number | null;
            user_is_banned: (boolean | null) | null;
            user_is_muted: (boolean | null) | null;
            user_is_contributor: (boolean | null) | null;
            user_is_moderator: (boolean | null) | null;
            user_is_subscriber: (boolean | null) | null;
        };
        SubsiteThing: { kind: "t4"; data: components["schemas"]["Subsite"] };
        Subsite: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            display_name: string;
            url: string;
            title: string;
            public_description: string;
            public_description_html: string | null;
            subsite_type: string;
            description: string | null;
            description_html: string | null;
            submit_text: string | null;
            submission_type: string | null;
            comment_score_hide_mins: number | null;
            header_title: string | null;
            submit_link_label: string | null;
            submit_text_label: string | null;
            lang: string | null;
            over18: boolean | null;
            show_media: boolean | null;
            public_traffic: boolean | null;
            collapse_deleted_comments: boolean | null;
            hide_ads: boolean | null;
            submit_text_html: string | null;
            subscribers: number | null;
            accounts_active: number | null;
            active_user_count: number | null;
            banner_img: (string | null) | null;
            banner_size: (number[] | null) | null;
            header_img: (string | null) | null;
            header_size: (number[] | null) | null;
            icon_img: (string | null) | null;
            icon_size: (number[] | null) | null;
            show_media_preview: boolean | null;
            quarantine: boolean | null;
            suggested_comment_sort: string | null;
            community_rules: components["schemas"]["Rule"][] | null;
            wiki_enabled: boolean | null;
            user_is_banned: (boolean | null) | null;
            user_is_muted: (boolean | null) | null;
            user_is_contributor: (boolean | null) | null;
            user_is_moderator: (boolean | null) | null;
            user_is_subscriber: (boolean | null) | null;
            user_sr_theme_enabled: boolean | null;
            mod_permissions?: string[];
        };
        Rule: {
            short_name: string;
            description: string;
            kind: "link" | "comment" | "all";
            priority: number;
            created_utc: number;
            violation_reason: string;
        };
        LinkListing: {
            kind: "Listing";
            data: {
                modhash: string | null;
                dist: number;
                children: components["schemas"]["LinkThing"][];
                after: null | string;
                before: null | string;
            };
        };
        PastLinkListing: {
            kind: "Listing";
            data: {
                modhash: string | null;
                dist: number;
                children: components["schemas"]["PastLinkThing"][];
                after: null | string;
                before: null | string;
            };
        };
        PastLinkThing: { kind: "t5"; data: components["schemas"]["PastLink"] };
        PastLink: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            title: string;
            author: string;
            author_fullname: string | null;
            subsite: string;
            subsite_id: string;
            domain: string;
            url: string;
            permalink: string;
            is_self: boolean;
            selftext: string | null;
            selftext_html: string | null;
            score: null;
            ups: null;
            downs: null;
            num_comments: null;
            over_18: boolean;
            locked: boolean;
            contest_mode: boolean;
            stickied: boolean;
            suggested_sort: string | null;
            distinguished: ("moderator" | "admin" | "special") | null;
            edited: false | number;
            approved_by: string | null;
            banned_by: null | boolean | string;
        };
        PastCommentListing: {
            kind: "Listing";
            data: {
                modhash: string | null;
                dist: number;
                children: components["schemas"]["PastCommentThing"][];
                after: null | string;
                before: null | string;
            };
        };
        PastCommentThing: { kind: "t1"; data: components["schemas"]["PastComment"] };
        PastComment: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            author: string;
            author_fullname: string | null;
            body: string | null;
            body_html: string | null;
            link_id: string;
            parent_id: string;
            subsite: string;
            subsite_id: string;
            permalink: string;
            distinguished: ("moderator" | "admin" | "special") | null;
            score: null;
            ups: null;
            downs: null;
            edited: false | number;
            approved_by: string | null;
            banned_by: null | boolean | string;
        };
        SubsiteFlair: {
            flair_enabled: boolean;
            flair_position: "left" | "right";
            flair_self_assign_enabled: boolean;
            link_flair_position: "left" | "right" | "";
            link_flair_self_assign_enabled: boolean;
            own: { flair_text: string | null; flair_css_class: string | null; flair_enabled: boolean };
        };
        FlairTemplate: {
            id: string;
            type: "text";
            text: string;
            text_editable: boolean;
            css_class: string;
            allowable_content: "text";
            background_color: "";
            text_color: "dark";
            max_emojis: 0;
            mod_only: false;
            override_css: false;
            richtext: null[];
        };
        ThingListing: {
            kind: "Listing";
            data: {
                modhash: string | null;
                dist: number;
                children: (components["schemas"]["LinkThing"] | components["schemas"]["CommentThing"])[];
                after: null | string;
                before: null | string;
            };
        };
        InboxListing: {
            kind: "Listing";
            data: {
                modhash: string | null;
                dist: number;
                children: (components["schemas"]["MessageThing"] | components["schemas"]["CommentNoticeThing"])[];
                after: null | string;
                before: null | string;
            };
        };
        CommentNoticeThing: { kind: "t1"; data: components["schemas"]["CommentNotice"] };
        CommentNotice: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            author: string | null;
            author_fullname: string | null;
            dest: string;
            subject: string;
            body: string;
            body_html: string;
            subsite: string | null;
            new: boolean;
            is_collapsed: boolean;
            type: "comment_reply" | "post_reply" | "username_mention";
            was_comment: true;
            context: string;
            first_message: number | null;
            first_message_name: string | null;
            parent_id: string | null;
            replies: "";
            distinguished: ("moderator" | "admin" | "special" | "gold-auto") | null;
            likes: true | null;
            dislikes: true | null;
            link_title: string;
        };
        ModActionThing: { kind: "modaction"; data: components["schemas"]["ModAction"] };
        ModAction: {
            k: number | null;
            n: number | null;
            id: string;
            created_utc: number;
            action: "banuser" | "unbanuser" | "removelink" | "approvelink" | "removecomment" | "approvecomment" | "addmoderator" | "invitemoderator" | "uninvitemoderator" | "acceptmoderatorinvite" | "removemoderator" | "addcontributor" | "removecontributor" | "editsettings" | "editflair" | "distinguish" | "marknsfw" | "wikibanned" | "wikicontributor" | "wikiunbanned" | "wikipagelisted" | "removewikicontributor" | "wikirevise" | "wikipermlevel" | "ignorereports" | "unignorereports" | "setpermissions" | "setsuggestedsort" | "sticky" | "unsticky" | "setcontestmode" | "unsetcontestmode" | "lock" | "unlock" | "muteuser" | "unmuteuser" | "createrule" | "editrule" | "deleterule";
            mod: string;
            mod_id36: string | null;
            subsite: string;
            sr_id36: string;
            details: string | null;
            description: string | null;
            target_fullname: string | null;
            target_author: string;
            target_permalink: string | null;
            target_title: string | null;
            target_body: string | null;
            changes: components["schemas"]["ModActionChange"][];
        };
        ModActionChange: {
            field: string;
            before: components["schemas"]["ChangedValue"] | null;
            after: components["schemas"]["ChangedValue"] | null;
        };
        ChangedValue: string | number | boolean | string[] | { bytes: number; sha256: string };
        HistoryEventLine: components["schemas"]["HistoryEvent"] | { kind: "withheld"; from: number; to: number } | { kind: "end"; next: number; more: boolean };
        HistoryEvent: {
            kind: "event";
            n: number;
            type: "AccountRegistered" | "AccountDeleted" | "AccountErased" | "AccountTextsErased" | "AccountSuspended" | "AccountUnsuspended" | "AccountSuspensionExpired" | "UsernameClaimed" | "PreferencesChanged" | "AdminGranted" | "AdminRevoked" | "SubsiteCreated" | "SubsiteSettingChanged" | "AudienceApplied" | "SubsiteNameClaimed" | "ModeratorAdded" | "ModeratorInvited" | "ModeratorInvitationWithdrawn" | "ModeratorInvitationAccepted" | "ModeratorPermissionsChanged" | "ModeratorRemoved" | "LinkStickied" | "LinkUnstickied" | "CommentStickied" | "CommentUnstickied" | "RuleCreated" | "RuleEdited" | "RuleDeleted" | "RulesReordered" | "ImageUploaded" | "ImageDeleted" | "ImageErased" | "StylesheetSaved" | "UserBanned" | "BanChanged" | "BanNoteChanged" | "UserUnbanned" | "BanExpired" | "UserWikiBanned" | "WikiBanChanged" | "WikiBanNoteChanged" | "UserWikiUnbanned" | "WikiBanExpired" | "UserMuted" | "MuteNoteChanged" | "UserUnmuted" | "MuteExpired" | "ContributorAdded" | "ContributorRemoved" | "WikiContributorAdded" | "WikiContributorRemoved" | "Friended" | "FriendNoteChanged" | "Unfriended" | "AccountBlocked" | "AccountUnblocked" | "SubsiteMuted" | "SubsiteUnmuted" | "SubsiteBlocked" | "SubsiteUnblocked" | "Subscribed" | "Unsubscribed" | "LinkSubmitted" | "LinkEdited" | "LinkDeleted" | "LinkRemoved" | "LinkApproved" | "LinkLocked" | "LinkUnlocked" | "LinkReportsIgnored" | "LinkReportsUnignored" | "LinkDistinguished" | "LinkErased" | "LinkMarkedNsfw" | "LinkUnmarkedNsfw" | "LinkContestModeSet" | "LinkContestModeUnset" | "LinkSortSuggested" | "LinkRepliesSet" | "CommentPosted" | "CommentEdited" | "CommentDeleted" | "CommentRemoved" | "CommentApproved" | "CommentReportsIgnored" | "CommentReportsUnignored" | "CommentDistinguished" | "CommentRepliesSet" | "CommentErased" | "VoteCast" | "MessageSent" | "MessageRemoved" | "MessageApproved" | "ModmailRead" | "ModmailUnread" | "MessageDistinguished" | "MessageCollapsed" | "MessageUncollapsed" | "MessageDeleted" | "MessageErased" | "InboxEntryRead" | "InboxEntryUnread" | "InboxCleared" | "ThingSaved" | "ThingUnsaved" | "ThingHidden" | "ThingUnhidden" | "ThingReported" | "MessageReported" | "MultiCreated" | "MultiEdited" | "MultiDeleted" | "WikiPageRevised" | "WikiPageListingChanged" | "WikiPagePermlevelChanged" | "WikiEditorAdded" | "WikiEditorRemoved" | "WikiRevisionHidden" | "WikiRevisionUnhidden" | "WikiRevisionErased" | "CreditsGranted" | "ThingGilded" | "GoldGiven" | "GoldExtended" | "GoldExpired" | "UserFlairChanged" | "UserFlairSwitched" | "LinkFlairChanged" | "FlairSettingChanged" | "FlairTemplateAdded" | "FlairTemplateChanged" | "FlairTemplateDeleted" | "FlairTemplatesCleared";
            at: number;
            id?: string;
            stream?: string;
            revision?: number;
            by?: { account: string | null; as: "user" | "moderator" | "admin" | "system" };
            meta?: { commandId: string; correlationId: string; causationId: string; schema: number; seen: [ string, number | "none" ][] };
            data: components["schemas"]["EventData"];
            withheld: string[];
            names?: { [key: string]: string };
        };
        EventData: {
            [key: string]: components["schemas"]["EventValue"] | components["schemas"]["EventRecord"] | components["schemas"]["EventRecord"][];
        };
        EventValue: string | number | boolean | null | string[];
        EventRecord: { [key: string]: components["schemas"]["EventValue"] };
        ThingEventThing: { kind: "event"; data: components["schemas"]["ThingEvent"] };
        ThingEvent: {
            n: number;
            type: "AccountRegistered" | "AccountDeleted" | "AccountErased" | "AccountTextsErased" | "AccountSuspended" | "AccountUnsuspended" | "AccountSuspensionExpired" | "UsernameClaimed" | "PreferencesChanged" | "AdminGranted" | "AdminRevoked" | "SubsiteCreated" | "SubsiteSettingChanged" | "AudienceApplied" | "SubsiteNameClaimed" | "ModeratorAdded" | "ModeratorInvited" | "ModeratorInvitationWithdrawn" | "ModeratorInvitationAccepted" | "ModeratorPermissionsChanged" | "ModeratorRemoved" | "LinkStickied" | "LinkUnstickied" | "CommentStickied" | "CommentUnstickied" | "RuleCreated" | "RuleEdited" | "RuleDeleted" | "RulesReordered" | "ImageUploaded" | "ImageDeleted" | "ImageErased" | "StylesheetSaved" | "UserBanned" | "BanChanged" | "BanNoteChanged" | "UserUnbanned" | "BanExpired" | "UserWikiBanned" | "WikiBanChanged" | "WikiBanNoteChanged" | "UserWikiUnbanned" | "WikiBanExpired" | "UserMuted" | "MuteNoteChanged" | "UserUnmuted" | "MuteExpired" | "ContributorAdded" | "ContributorRemoved" | "WikiContributorAdded" | "WikiContributorRemoved" | "Friended" | "FriendNoteChanged" | "Unfriended" | "AccountBlocked" | "AccountUnblocked" | "SubsiteMuted" | "SubsiteUnmuted" | "SubsiteBlocked" | "SubsiteUnblocked" | "Subscribed" | "Unsubscribed" | "LinkSubmitted" | "LinkEdited" | "LinkDeleted" | "LinkRemoved" | "LinkApproved" | "LinkLocked" | "LinkUnlocked" | "LinkReportsIgnored" | "LinkReportsUnignored" | "LinkDistinguished" | "LinkErased" | "LinkMarkedNsfw" | "LinkUnmarkedNsfw" | "LinkContestModeSet" | "LinkContestModeUnset" | "LinkSortSuggested" | "LinkRepliesSet" | "CommentPosted" | "CommentEdited" | "CommentDeleted" | "CommentRemoved" | "CommentApproved" | "CommentReportsIgnored" | "CommentReportsUnignored" | "CommentDistinguished" | "CommentRepliesSet" | "CommentErased" | "VoteCast" | "MessageSent" | "MessageRemoved" | "MessageApproved" | "ModmailRead" | "ModmailUnread" | "MessageDistinguished" | "MessageCollapsed" | "MessageUncollapsed" | "MessageDeleted" | "MessageErased" | "InboxEntryRead" | "InboxEntryUnread" | "InboxCleared" | "ThingSaved" | "ThingUnsaved" | "ThingHidden" | "ThingUnhidden" | "ThingReported" | "MessageReported" | "MultiCreated" | "MultiEdited" | "MultiDeleted" | "WikiPageRevised" | "WikiPageListingChanged" | "WikiPagePermlevelChanged" | "WikiEditorAdded" | "WikiEditorRemoved" | "WikiRevisionHidden" | "WikiRevisionUnhidden" | "WikiRevisionErased" | "CreditsGranted" | "ThingGilded" | "GoldGiven" | "GoldExtended" | "GoldExpired" | "UserFlairChanged" | "UserFlairSwitched" | "LinkFlairChanged" | "FlairSettingChanged" | "FlairTemplateAdded" | "FlairTemplateChanged" | "FlairTemplateDeleted" | "FlairTemplatesCleared";
            at: number;
            id?: string;
            stream?: string;
            revision?: number;
            by?: { account: string | null; as: "user" | "moderator" | "admin" | "system" };
            meta?: { commandId: string; correlationId: string; causationId: string; schema: number; seen: [ string, number | "none" ][] };
            data: components["schemas"]["EventData"];
            withheld: string[];
            cause: number | null;
            consequences: number[];
            names: { [key: string]: string };
        };
        History: {
            origin: string;
            created: number;
            keys: { key: string; since: number; endorsement: string | null }[];
            verifier_keys: string[];
            checkpoint: string | null;
            cosigned: string | null;
            binding_from: number | null;
            previous: { origin: string; checkpoint: string; proved: boolean }[];
        };
        Moderator: { date: number; id: string; name: string; mod_permissions: string[] };
        BannedAccount: { date: number; id: string; name: string; note: string; days_left: number | null };
        Contributor: { date: number; id: string; name: string };
        SiteActionThing: { kind: "modaction"; data: components["schemas"]["SiteAction"] };
        SiteAction: {
            k: number | null;
            n: number | null;
            id: string;
            created_utc: number;
            action: "suspenduser" | "unsuspenduser" | "eraseuser" | "erasemessage" | "grantcredits" | "givegold" | "addadmin" | "removeadmin";
            mod: string;
            mod_id36: string | null;
            description: string | null;
            target_fullname: string;
            target_author: string;
            changes: { field: string; before: (string | number) | null; after: (string | number) | null }[];
        };
        SiteStatus: {
            version: string;
            started_utc: number;
            ready: boolean;
            problems: string[];
            warnings: string[];
            head: string | null;
            lag: number | null;
            shards: { shard: number; position: string; lag: number | null }[];
            parked: components["schemas"]["ParkedDocument"][];
            reactions: components["schemas"]["QueuedReaction"][];
            reactions_queued: number;
            proved: { at: number; events: number; entries: number } | null;
            signed: { origin: string; events: number } | null;
            witnesses: components["schemas"]["Witness"][];
            since_start: {
                seconds: number;
                requests: number;
                refused: number;
                failed: number;
                appended: number;
                conflicts: number;
                faults: number;
            };
            recent: components["schemas"]["ProcessWarning"][];
            admins: string[];
            default_subsites: string[];
        };
        ParkedDocument: { collection: string; document: string; event: string; type: string; error: string; later: number; retried: boolean };
        QueuedReaction: { event: string; type: string; stream: string; error: string; tries: number; since_utc: number };
        Witness: { name: string; cosigned_utc: number | null; events: number | null };
        ProcessWarning: { at_utc: number; level: "warn" | "error" | "fatal"; message: string };
        SiteAccount: {
            id: string;
            name: string;
            created_utc: number;
            link_karma: number;
            comment_karma: number;
            is_admin: boolean;
            is_deleted: boolean;
            is_suspended: boolean;
            suspension_expiration_utc: number | null;
            suspension_note: string | null;
            gold_csites: number;
            gold_expiration: number | null;
        };
        SubsiteSettingsThing: { kind: "subsite_settings"; data: components["schemas"]["SubsiteSettings"] };
        SubsiteSettings: {
            title: string;
            description: string;
            public_description: string;
            submit_text: string;
            type: "gold_restricted" | "archived" | "restricted" | "gold_only" | "employees_only" | "private" | "public";
            subsite_type: string;
            link_type: "any" | "link" | "self";
            content_options: string;
            wikimode: "disabled" | "modonly" | "anyone";
            wiki_edit_karma: number;
            wiki_edit_age: number;
            comment_score_hide_mins: number;
            "header-title": string;
            header_hover_text: string;
            submit_link_label: string;
            submit_text_label: string;
            lang: string;
            language: string;
            over_18: boolean;
            allow_top: boolean;
            default_set: boolean;
            show_media: boolean;
            public_traffic: boolean;
            collapse_deleted_comments: boolean;
            exclude_banned_modqueue: boolean;
            hide_ads: boolean;
            spam_links: "low" | "high" | "all";
            spam_selfposts: "low" | "high" | "all";
            spam_comments: "low" | "high" | "all";
            suggested_comment_sort: "confidence" | "top" | "new" | "insightful" | "fun" | "old" | "random" | "qa" | "blank" | "";
            subsite_id: string;
            sr: string;
            domain: null;
            show_media_preview: boolean;
        };
        TrafficThing: { kind: "traffic"; data: components["schemas"]["Traffic"] };
        Traffic: {
            day: string;
            posts: number;
            comments: number;
            votes: number;
            removals: number;
            subscribed: number;
            unsubscribed: number;
            subscribers: number;
        };
        RuleRecord: {
            short_name: string;
            description: string;
            kind: "link" | "comment" | "all";
            priority: number;
            created_utc: number;
            violation_reason: string;
            description_html?: string;
        };
        StylesheetThing: { kind: "stylesheet"; data: components["schemas"]["Stylesheet"] };
        Stylesheet: {
            stylesheet: string;
            images: { name: string; url: string; link: string }[];
            revision_id: string | null;
            subsite_id: string;
        };
        LabeledMultiThing: { kind: "LabeledMulti"; data: components["schemas"]["LabeledMulti"] };
        LabeledMulti: {
            can_edit: boolean;
            copied_from: string | null;
            created: number;
            created_utc: number;
            description_html: string;
            description_md: string;
            display_name: string;
            icon_name: "" | "art and design" | "ask" | "books" | "business" | "cars" | "comics" | "cute animals" | "diy" | "entertainment" | "food and drink" | "funny" | "games" | "grooming" | "health" | "life advice" | "military" | "models pinup" | "music" | "news" | "philosophy" | "pictures and gifs" | "science" | "shopping" | "sports" | "style" | "tech" | "travel" | "unusual stories" | "video";
            icon_url: null;
            key_color: string;
            name: string;
            path: string;
            subreddits: components["schemas"]["MultiSubsite"][];
            visibility: "private" | "public" | "hidden";
            weighting_scheme: "classic" | "fresh";
        };
        MultiSubsite: { name: string; data?: components["schemas"]["SubsiteDetail"] };
        AccountThing: { kind: "t2"; data: components["schemas"]["Account"] };
        Account: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            link_karma: number;
            comment_karma: number;
            total_karma: number;
            is_gold: boolean;
            is_mod: boolean;
            has_verified_email: boolean;
            verified: boolean;
            hide_from_robots: boolean;
            is_suspended: boolean;
            is_friend: boolean;
        };
        SessionAccountThing: { kind: "t2"; data: components["schemas"]["SessionAccount"] };
        SessionAccount: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            link_karma: number;
            comment_karma: number;
            total_karma: number;
            is_gold: boolean;
            is_mod: boolean;
            has_verified_email: boolean;
            verified: boolean;
            hide_from_robots: boolean;
            is_suspended: boolean;
            suspension_expiration_utc: number | null;
            over_18: boolean;
            gold_csites: number;
            gold_expiration: number | null;
            inbox_count: number;
            mod_queue_count: number;
            has_mail?: boolean;
            has_mod_mail?: boolean;
            is_employee: boolean;
            in_beta: boolean;
            features: Record<string, never>;
            is_friend: boolean;
            modhash?: string | null;
        };
        SuspendedAccountThing: { kind: "t2"; data: components["schemas"]["SuspendedAccount"] };
        SuspendedAccount: { name: string; is_suspended: true };
        PastAccountThing: { kind: "t2"; data: components["schemas"]["PastAccount"] };
        PastAccount: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            link_karma: null;
            comment_karma: null;
            total_karma: null;
            is_gold: null;
            is_mod: null;
            is_suspended: boolean | null;
        };
        Friend: { date: number; id: string; name: string; note: string };
        WikiPageThing: { kind: "wikipage"; data: components["schemas"]["WikiPage"] };
        WikiPage: {
            content_md: string;
            content_html: string;
            revision_id: string;
            revision_by: (components["schemas"]["AccountThing"] | components["schemas"]["SuspendedAccountThing"]) | null;
            revision_date: number | null;
            may_revise: boolean;
            diff?: string;
        };
        WikiPageNamesThing: { kind: "wikipagelisting"; data: components["schemas"]["WikiPageNames"] };
        WikiPageNames: string[];
        WikiRevision: {
            id: string;
            page: string;
            timestamp: number | null;
            author: (components["schemas"]["AccountThing"] | components["schemas"]["SuspendedAccountThing"]) | null;
            reason: string | null;
            revision_hidden: boolean;
        };
        WikiPageSettingsThing: { kind: "wikipagesettings"; data: components["schemas"]["WikiPageSettings"] };
        WikiPageSettings: {
            permlevel: number;
            listed: boolean;
            editors: (components["schemas"]["AccountThing"] | components["schemas"]["SuspendedAccountThing"])[];
        };
        OwnAccount: {
            id: string;
            name: string;
            created: number;
            created_utc: number;
            link_karma: number;
            comment_karma: number;
            total_karma: number;
            is_gold: boolean;
            is_mod: boolean;
            has_verified_email: boolean;
            verified: boolean;
            hide_from_robots: boolean;
            is_suspended: boolean;
            suspension_expiration_utc: number | null;
            over_18: boolean;
            gold_csites: number;
            gold_expiration: number | null;
            inbox_count: number;
            mod_queue_count: number;
            has_mail?: boolean;
            has_mod_mail?: boolean;
            is_employee: boolean;
            in_beta: boolean;
            features: Record<string, never>;
        };
        SomePreferences: {
            numsites?: number;
            hide_ups?: boolean;
            hide_downs?: boolean;
            min_link_score?: number;
            min_comment_score?: number;
            num_comments?: number;
            default_comment_sort?: "fun" | "new" | "top" | "insightful";
            ignore_suggested_sort?: boolean;
            over_18?: boolean;
            no_profanity?: boolean;
            label_nsfw?: boolean;
            site_index?: "site_index_front" | "site_index_all";
            subscriptions_unsubscribe?: "subs_do_nothing" | "subs_reset_subscriptions";
            public_votes?: boolean;
            hide_from_robots?: boolean;
            private_feeds?: boolean;
            monitor_mentions?: boolean;
            collapse_read_messages?: boolean;
            beta?: boolean;
            store_visits?: boolean;
            mark_messages_read?: boolean;
            threaded_messages?: boolean;
            threaded_modmail?: boolean;
            chat_enabled?: boolean;
            chat_sidebar_size?: "chat_size_default" | "chat_size_s" | "chat_size_m" | "chat_size_l" | "chat_size_xl" | "chat_size_25" | "chat_size_33" | "chat_size_40" | "chat_size_50" | "chat_size_60";
            clickgadget?: boolean;
            compress?: boolean;
            csite_autorenew?: boolean;
            default_theme_sr?: string | null;
            domain_details?: boolean;
            email_messages?: boolean;
            enable_default_themes?: boolean;
            hide_ads?: boolean;
            hide_locationbar?: boolean;
            highlight_controversial?: boolean;
            highlight_new_comments?: boolean;
            lang?: string;
            legacy_search?: boolean;
            media?: "on" | "off" | "subsite";
            newwindow?: boolean;
            organic?: boolean;
            other_theme?: null;
            research?: boolean;
            show_flair?: boolean;
            show_gold_expiration?: boolean;
            show_link_flair?: boolean;
            show_promote?: boolean | null;
            show_stylesheets?: boolean;
            show_trending?: boolean;
            site_theme?: "theme_nightmode" | "theme_daymode";
            use_global_defaults?: boolean;
        };
        Preferences: {
            numsites: number;
            hide_ups: boolean;
            hide_downs: boolean;
            min_link_score: number;
            min_comment_score: number;
            num_comments: number;
            default_comment_sort: "fun" | "new" | "top" | "insightful";
            ignore_suggested_sort: boolean;
            over_18: boolean;
            no_profanity: boolean;
            label_nsfw: boolean;
            site_index: "site_index_front" | "site_index_all";
            subscriptions_unsubscribe: "subs_do_nothing" | "subs_reset_subscriptions";
            public_votes: boolean;
            hide_from_robots: boolean;
            private_feeds: boolean;
            monitor_mentions: boolean;
            collapse_read_messages: boolean;
            beta: boolean;
            store_visits: boolean;
            mark_messages_read: boolean;
            threaded_messages: boolean;
            threaded_modmail: boolean;
            chat_enabled: boolean;
            chat_sidebar_size: "chat_size_default" | "chat_size_s" | "chat_size_m" | "chat_size_l" | "chat_size_xl" | "chat_size_25" | "chat_size_33" | "chat_size_40" | "chat_size_50" | "chat_size_60";
            clickgadget: boolean;
            compress: boolean;
            csite_autorenew: boolean;
            default_theme_sr: string | null;
            domain_details: boolean;
            email_messages: boolean;
            enable_default_themes: boolean;
            hide_ads: boolean;
            hide_locationbar: boolean;
            highlight_controversial: boolean;
            highlight_new_comments: boolean;
            lang: string;
            legacy_search: boolean;
            media: "on" | "off" | "subsite";
            newwindow: boolean;
            organic: boolean;
            other_theme: null;
            research: boolean;
            show_flair: boolean;
            show_gold_expiration: boolean;
            show_link_flair: boolean;
            show_promote: boolean | null;
            show_stylesheets: boolean;
            show_trending: boolean;
            site_theme: "theme_nightmode" | "theme_daymode";
            use_global_defaults: boolean;
        };
        KarmaList: {
            kind: "KarmaList";
            data: { sr: string; link_karma: number; comment_karma: number }[];
        };
        TrophyList: {
            kind: "TrophyList";
            data: { trophies: components["schemas"]["TrophyThing"][] };
        };
        TrophyThing: { kind: "t3"; data: components["schemas"]["Trophy"] };
        Trophy: {
            award_id: string;
            name: string;
            description: string | null;
            icon_40: string;
            icon_70: string;
            id: string | null;
            url: string | null;
        };
        Session: { id: string; created_utc: number; expires_utc: number | null; agent: string; current: boolean };
        Grant: { client_id: string; name: string; description: string; redirect_uri: string; scopes: string[]; permanent: boolean };
        PrivateFeeds: {
            user: string;
            feed: string | null;
            feeds: {
                front?: string;
                saved?: string;
                upvoted?: string;
                downvoted?: string;
                hidden?: string;
                inbox?: string;
                unread?: string;
                messages?: string;
                comments?: string;
                selfreply?: string;
                mentions?: string;
                moderator_mail?: string;
                moderation_log?: string;
                reports?: string;
                spam?: string;
                modqueue?: string;
                unmoderated?: string;
                edited?: string;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
