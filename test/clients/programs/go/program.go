// The client that oapi-codegen makes of the document.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"sort"
	"strings"

	"client/rostra"
)

type scene struct {
	Url     string
	Content struct {
		Password, Thread, Removed, Reported, ReportedLink string
		Accounts                                          map[string]struct{ Client_id, Client_secret string }
		Links                                             []string
		Comments                                          int
	}
}

type site = *rostra.ClientWithResponses

const tea = "tea"

var (
	ctx  = context.Background()
	here scene
)

func open(edit rostra.RequestEditorFn) site {
	return must(rostra.NewClientWithResponses(here.Url, rostra.WithRequestEditorFn(edit)))
}

func login(name string) site {
	app := here.Content.Accounts[name]
	anonymous := open(func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth(app.Client_id, app.Client_secret)
		return nil
	})
	form := rostra.PostApiV1AccessTokenFormdataRequestBody{GrantType: "password", Username: &name, Password: &here.Content.Password}
	answer := must(anonymous.PostApiV1AccessTokenWithFormdataBodyWithResponse(ctx, nil, form))
	body := need(answer.JSON200, answer.Body)
	token := must(body.AsToken())
	return open(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "bearer "+token.AccessToken)
		return nil
	})
}

func idOf(fullname string) string { return strings.SplitN(fullname, "_", 2)[1] }

func comment(by site, on, text string) rostra.Comment {
	answer := must(by.PostApiCommentWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiCommentFormdataRequestBody{ThingId: on, Text: text}))
	accepted(answer.Body)
	form := must(must(need(answer.JSON200, answer.Body).AsPostApiComment200JSONResponseBody0()).AsPostApiComment200JSONResponseBody00())
	return must(form.Json.Data.Things[0].AsCommentThing()).Data
}

func submit(by site, form rostra.PostApiSubmitFormdataRequestBody) string {
	form.Sr = tea
	answer := must(by.PostApiSubmitWithFormdataBodyWithResponse(ctx, nil, form))
	accepted(answer.Body)
	return must(need(answer.JSON200, answer.Body).AsPostApiSubmit200JSONResponseBody0()).Json.Data.Name
}

func linkOf(by site, name string) rostra.Link {
	answer := must(by.GetApiInfoWithResponse(ctx, &rostra.GetApiInfoParams{Id: &name}))
	return must(need(answer.JSON200, answer.Body).Data.Children[0].AsLinkThing()).Data
}

func main() {
	must(0, json.Unmarshal([]byte(os.Getenv("SCENE")), &here))
	content := here.Content
	ann, bob, cat := login("ann"), login("bob"), login("cat")
	link, text := content.Links[0], ""
	hundred := 100

	works("login by password", func() { login("dan") })

	works("me", func() {
		answer := must(ann.GetApiV1MeWithResponse(ctx, nil))
		same(need(answer.JSON200, answer.Body).Name, "ann")
	})

	works("a listing of more than 250", func() {
		names := map[string]bool{}
		count := 0
		for after, more := (*string)(nil), true; more; more = after != nil {
			answer := must(ann.GetSSubNewWithResponse(ctx, tea, &rostra.GetSSubNewParams{Limit: &hundred, After: after}))
			page := need(answer.JSON200, answer.Body).Data
			for _, child := range page.Children {
				names[child.Data.Name] = true
				count++
			}
			after = page.After
		}
		same(len(names), count)
		for _, name := range content.Links {
			same(names[name], true)
		}
	})

	works("submit", func() {
		url, words := "https://example.com/go", "Iron & clay"
		teapot := submit(bob, rostra.PostApiSubmitFormdataRequestBody{Kind: rostra.PostApiSubmitFormdataBodyKindLink, Title: "A teapot", Url: &url})
		same(linkOf(ann, teapot).Title, "A teapot")
		text = submit(bob, rostra.PostApiSubmitFormdataRequestBody{Kind: rostra.PostApiSubmitFormdataBodyKindSelf, Title: "On pots", Text: &words})
	})

	works("comment, edit and delete", func() {
		first := comment(bob, text, "Clay").Name
		same(comment(bob, first, "Why?").ParentId, first)
		words := "Clay, not iron"
		edit := must(bob.PostApiEditusertextWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiEditusertextFormdataRequestBody{ThingId: first, Text: words}))
		accepted(edit.Body)
		gone := comment(bob, text, "Oops").Name
		deleted := must(bob.PostApiDelWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiDelFormdataRequestBody{Id: &gone}))
		done(deleted.JSON200, deleted.Body)
	})

	works("a comment tree with everything expanded", func() {
		found := map[string]bool{}
		article := idOf(content.Thread)
		var expand func(comment any)
		all := func(listing rostra.CommentListing) {
			for _, child := range listing.Data.Children {
				expand(must(child.ValueByDiscriminator()))
			}
		}
		expand = func(thing any) {
			switch thing := thing.(type) {
			case rostra.CommentThing:
				found[thing.Data.Name] = true
				if replies, err := thing.Data.Replies.AsCommentListing(); err == nil {
					all(replies)
				}
			case rostra.MoreThing:
				if thing.Data.Id == "_" {
					answer := must(ann.GetCommentsArticleTitleCommentWithResponse(ctx, article, "_", idOf(thing.Data.ParentId), nil))
					all(must(need(answer.JSON200, answer.Body)[1].AsCommentListing()))
					return
				}
				children := strings.Join(thing.Data.Children, ",")
				answer := must(ann.GetApiMorechildrenWithResponse(ctx, &rostra.GetApiMorechildrenParams{LinkId: content.Thread, Children: &children}))
				accepted(answer.Body)
				for _, child := range must(need(answer.JSON200, answer.Body).AsGetApiMorechildren200JSONResponseBody0()).Json.Data.Things {
					expand(must(child.ValueByDiscriminator()))
				}
			}
		}
		answer := must(ann.GetCommentsArticleWithResponse(ctx, article, nil))
		thread := need(answer.JSON200, answer.Body)
		all(must(thread[1].AsCommentListing()))
		same(len(found), content.Comments)
		same(must(thread[0].AsLinkListing()).Data.Children[0].Data.NumComments, content.Comments)
	})

	works("vote", func() {
		for _, dir := range []rostra.PostApiVoteFormdataBodyDir{rostra.PostApiVoteFormdataBodyDirN1, rostra.PostApiVoteFormdataBodyDirMinus1} {
			answer := must(cat.PostApiVoteWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiVoteFormdataRequestBody{Id: link, Dir: dir}))
			done(answer.JSON200, answer.Body)
		}
		seen := linkOf(cat, link)
		same([]bool{seen.Likes != nil, seen.Dislikes != nil}, []bool{true, true})
	})

	works("save, hide, and the pages of a user", func() {
		id := content.Links[1]
		saved := must(cat.PostApiSaveWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiSaveFormdataRequestBody{Id: id}))
		done(saved.JSON200, saved.Body)
		hidden := must(cat.PostApiHideWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiHideFormdataRequestBody{Id: id}))
		done(hidden.JSON200, hidden.Body)
		for _, where := range []rostra.GetUserUsernameWhereParamsWhere{rostra.GetUserUsernameWhereParamsWhereSaved, rostra.GetUserUsernameWhereParamsWhereHidden} {
			answer := must(cat.GetUserUsernameWhereWithResponse(ctx, "cat", where, nil))
			children := need(answer.JSON200, answer.Body).Data.Children
			same(len(children), 1)
			same(must(children[0].AsLinkThing()).Data.Name, id)
		}
	})

	works("inbox", func() {
		form := rostra.PostApiComposeFormdataRequestBody{To: "ann", Subject: "Typed", Text: "Hello"}
		accepted(must(bob.PostApiComposeWithFormdataBodyWithResponse(ctx, nil, form)).Body)
		unread := func() (names []string) {
			answer := must(ann.GetMessageWhereWithResponse(ctx, rostra.GetMessageWhereParamsWhereUnread, nil))
			for _, child := range need(answer.JSON200, answer.Body).Data.Children {
				if message, ok := must(child.ValueByDiscriminator()).(rostra.MessageThing); ok && message.Data.Subject == "Typed" {
					names = append(names, message.Data.Name)
				}
			}
			return names
		}
		id := unread()[0]
		read := must(ann.PostApiReadMessageWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiReadMessageFormdataRequestBody{Id: id}))
		done(read.JSON200, read.Body)
		accepted(must(ann.PostApiCommentWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiCommentFormdataRequestBody{ThingId: id, Text: "Hello, too"})).Body)
		same(len(unread()), 0)
	})

	works("relations", func() {
		note := "coffee"
		put := must(ann.PutApiV1MeFriendsUsernameWithResponse(ctx, "dan", nil, rostra.PutApiV1MeFriendsUsernameJSONRequestBody{Note: &note}))
		same(put.StatusCode(), 201)
		friend := must(ann.GetApiV1MeFriendsUsernameWithResponse(ctx, "dan", nil))
		same(need(friend.JSON200, friend.Body).Name, "dan")
		same(must(ann.DeleteApiV1MeFriendsUsernameWithResponse(ctx, "dan", nil)).StatusCode(), 204)
		name := "dan"
		ban := rostra.PostSSubApiFriendFormdataRequestBody{Type: rostra.PostSSubApiFriendFormdataBodyTypeBanned, Name: name, Note: &note}
		accepted(must(ann.PostSSubApiFriendWithFormdataBodyWithResponse(ctx, tea, nil, ban)).Body)
		answer := must(ann.GetSSubAboutLocationWithResponse(ctx, tea, rostra.GetSSubAboutLocationParamsLocationBanned, nil))
		listing := must(need(answer.JSON200, answer.Body).AsGetSSubAboutLocation200JSONResponseBody2())
		same(must(listing.Data.Children[0].AsBannedAccount()).Name, name)
		unban := rostra.PostSSubApiUnfriendFormdataRequestBody{Type: rostra.PostSSubApiUnfriendFormdataBodyTypeBanned, Name: &name}
		ended := must(ann.PostSSubApiUnfriendWithFormdataBodyWithResponse(ctx, tea, nil, unban))
		done(ended.JSON200, ended.Body)
	})

	works("moderation", func() {
		removed := must(cat.PostApiRemoveWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiRemoveFormdataRequestBody{Id: text}))
		done(removed.JSON200, removed.Body)
		approved := must(cat.PostApiApproveWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiApproveFormdataRequestBody{Id: text}))
		done(approved.JSON200, approved.Body)
		locked := must(cat.PostApiLockWithFormdataBodyWithResponse(ctx, nil, rostra.PostApiLockFormdataRequestBody{Id: text}))
		done(locked.JSON200, locked.Body)
		up := true
		sticky := rostra.PostApiSetSubsiteStickyFormdataRequestBody{Id: text, State: &up}
		accepted(must(cat.PostApiSetSubsiteStickyWithFormdataBodyWithResponse(ctx, nil, sticky)).Body)
		seen := linkOf(cat, text)
		same([]bool{seen.Locked, seen.Stickied}, []bool{true, true})
		same(*seen.ApprovedBy, "cat")
	})

	works("queues", func() {
		answer := must(cat.GetSSubAboutLocationWithResponse(ctx, tea, rostra.GetSSubAboutLocationParamsLocationReports, nil))
		names := []string{}
		for _, child := range must(need(answer.JSON200, answer.Body).AsThingListing()).Data.Children {
			switch thing := must(child.ValueByDiscriminator()).(type) {
			case rostra.LinkThing:
				names = append(names, thing.Data.Name)
			case rostra.CommentThing:
				names = append(names, thing.Data.Name)
			}
		}
		expected := []string{content.Reported, content.ReportedLink}
		sort.Strings(names)
		sort.Strings(expected)
		same(names, expected)
	})

	works("mod log", func() {
		by := "cat"
		answer := must(ann.GetSSubAboutLogWithResponse(ctx, tea, &rostra.GetSSubAboutLogParams{Mod: &by}))
		actions := []string{}
		for _, entry := range need(answer.JSON200, answer.Body).Data.Children[:4] {
			actions = append(actions, string(entry.Data.Action))
		}
		same(actions, []string{"sticky", "lock", "approvelink", "removelink"})
	})

	works("flair", func() {
		selector := must(bob.PostSSubApiFlairselectorWithFormdataBodyWithResponse(ctx, tea, nil, rostra.PostSSubApiFlairselectorFormdataRequestBody{Link: &text}))
		choice := need(selector.JSON200, selector.Body).Choices[0].FlairTemplateId
		form := rostra.PostSSubApiSelectflairFormdataRequestBody{Link: &text, FlairTemplateId: &choice}
		accepted(must(bob.PostSSubApiSelectflairWithFormdataBodyWithResponse(ctx, tea, nil, form)).Body)
		same(*linkOf(bob, text).LinkFlairText, "Green")
	})

	works("wiki", func() {
		words := "# Pots"
		edited := must(ann.PostSSubApiWikiEditWithFormdataBodyWithResponse(ctx, tea, nil, rostra.PostSSubApiWikiEditFormdataRequestBody{Page: "pots", Content: &words}))
		done(edited.JSON200, edited.Body)
		page := must(bob.GetSSubWikiPageWithResponse(ctx, tea, "pots", nil))
		same(need(page.JSON200, page.Body).Data.ContentMd, words)
		revisions := must(bob.GetSSubWikiRevisionsPageWithResponse(ctx, tea, "index", nil))
		same(len(need(revisions.JSON200, revisions.Body).Data.Children), 2)
	})

	works("settings and preferences", func() {
		about := must(ann.GetSSubAboutWithResponse(ctx, tea, nil))
		title, sites := "Tea and pots", 50
		form := rostra.PatchApiV1SubsiteUpdateSettingsFormdataRequestBody{Sr: need(about.JSON200, about.Body).Data.Name, Title: &title}
		accepted(must(ann.PatchApiV1SubsiteUpdateSettingsWithFormdataBodyWithResponse(ctx, nil, form)).Body)
		edit := must(ann.GetSSubAboutEditWithResponse(ctx, tea, nil))
		same(need(edit.JSON200, edit.Body).Data.Title, title)
		prefs := must(ann.PatchApiV1MePrefsWithResponse(ctx, nil, rostra.PatchApiV1MePrefsJSONRequestBody{Numsites: &sites}))
		same(need(prefs.JSON200, prefs.Body).Numsites, sites)
	})

	works("stylesheet", func() {
		css := ".pot { color: red }"
		form := rostra.PostSSubApiSubsiteStylesheetFormdataRequestBody{Op: rostra.Save, StylesheetContents: &css}
		accepted(must(ann.PostSSubApiSubsiteStylesheetWithFormdataBodyWithResponse(ctx, tea, nil, form)).Body)
		answer := must(ann.GetSSubAboutStylesheetWithResponse(ctx, tea, nil))
		same(need(answer.JSON200, answer.Body).Data.Stylesheet, css)
	})

	works("a stream of new comments", func() {
		newest := func(before *string) (names []string) {
			answer := must(ann.GetSSubCommentsWithResponse(ctx, tea, &rostra.GetSSubCommentsParams{Limit: &hundred, Before: before}))
			for _, child := range need(answer.JSON200, answer.Body).Data.Children {
				names = append(names, must(child.AsCommentThing()).Data.Name)
			}
			return names
		}
		known := newest(nil)[0]
		first := comment(bob, content.Thread, "A stream").Name
		second := comment(bob, content.Thread, "flows").Name
		same(newest(&known), []string{second, first})
	})
}
